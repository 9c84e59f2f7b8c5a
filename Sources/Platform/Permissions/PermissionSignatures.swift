import Domain
import Execution
import Synchronization

/// A cache of the signatures over the permissions of an app's packages; it keeps what current responses need.
///
/// It uses the keys whose private halves are on the server, since every change and start would have to wait for an
/// external command (decision 0028). Only the changes of one app, which are serialized, modify it.
final class PermissionSignatures: Sendable {
    private let kept = Mutex<[PagePermissions.Statement: [Signature]]>([:])

    /// Signs the statements that lack a signature by a key in use, and drops statements that no response needs.
    ///
    /// - Returns: By statement, one signature of each key, oldest key first.
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
    /// Returns the permission statements of a package, one for each version that devices may be offered.
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
