import Domain
import Execution
import Synchronization

/// The signatures over what the pages of an app's packages may use: made once, and kept while an answer needs them.
///
/// By the keys whose private halves are here: a command that signs outside would be waited for at every change and start
/// (decision 0028). Changed by the changes of one app, which come one after the other.
final class PermissionSignatures: Sendable {
    private let kept = Mutex<[PagePermissions.Statement: [Signature]]>([:])

    /// Signs what has no signature by a key in use yet; what no answer needs any more is forgotten.
    ///
    /// - Returns: By statement, one signature of each key, those of older keys first.
    func prepare(
        for state: AppState, keys: [AppKey], by cryptography: any Cryptography, on work: WorkExecutor
    ) async throws(PlatformError) -> [PagePermissions.Statement: [Signature]] {
        let statements = state.packages.flatMap { state.permissionStatements(of: $0) }
        let (signing, known) = (keys.signingHere, kept.withLock { $0 })
        let isComplete = statements.allSatisfy { known[$0]?.map(\.keyID) == signing.map(\.id) }
        guard !isComplete || known.count > statements.count else { return known }
        let made = try await work.run { () throws(PlatformError) in
            var made: [PagePermissions.Statement: [Signature]] = [:]
            for statement in statements {
                var signatures: [Signature] = []
                for key in signing {
                    if let old = known[statement]?.first(where: { $0.keyID == key.id }) {
                        signatures.append(old)
                    } else {
                        signatures.append(try key.signature(over: statement.signedBytes, by: cryptography))
                    }
                }
                made[statement] = signatures
            }
            return made
        }
        kept.withLock { $0 = made }
        return made
    }
}

extension AppState {
    /// What the pages of a package may use, of each version of it that devices may be offered.
    fileprivate func permissionStatements(of package: Package) -> [PagePermissions.Statement] {
        guard let permissions = package.permissions else { return [] }
        return (versions[package.id] ?? [:]).values.map { version in
            PagePermissions.Statement(of: version, in: package, permissions)
        }
    }
}

extension PagePermissions.Statement {
    init(of version: ReleasedVersion, in package: Package, _ permissions: PagePermissions) {
        self.init(
            app: package.app, package: package.id, version: version.version, tree: version.full.artifact.tree,
            permissions: permissions)
    }
}
