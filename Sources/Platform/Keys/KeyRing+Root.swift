package import Domain
import Execution
import Ground

extension KeyRing {
    /// Replaces the root key; the old key signs the change, and its private half is deleted.
    ///
    /// From then on the new key signs `/keys.json`, which carries the signed statement for clients that pinned an older
    /// key.
    package func makeRoot(of app: LiveApp, by author: Operator) async throws(PlatformError) -> AppKey {
        let pair = try await work.run { () throws(PlatformError) in try cryptography.makeEd25519Pair() }
        return try await live.change(app) { () throws(PlatformError) in
            let old = try await rootKey(of: app.id)
            let number = (try await store.rootChanges(of: app.id, last: 1).last?.number ?? 0) + 1
            let statement = RootChange.statement(
                app: app.id, fingerprint: cryptography.sha256(old.publicKey), next: pair.publicKey, number: number)
            let change = RootChange(
                app: app.id, number: number, publicKey: old.publicKey, next: pair.publicKey,
                signature: try await signByRoot(statement, old))
            let key = ed25519Key(.root, publicKey: pair.publicKey, privateKey: pair.privateKey, of: app.id)
            let audit = author.audit(
                .makeKey, key.id.text, in: app.id, at: clock.now(),
                [
                    .init("purpose", .string(KeyPurpose.root.rawValue)), .init("privateHalf", true),
                    .init("replaces", .string(old.id.text)),
                ], change: .created(key.auditMembers))
            try await noting(changeOf: app.id, by: author) { () throws(PlatformError) in
                try await store.changeRoot(to: key, saying: change, audit: audit)
            }
            return key
        }
    }

    /// Signs with a root key, on a worker thread.
    func signByRoot(_ message: [UInt8], _ root: AppKey) async throws(PlatformError) -> [UInt8] {
        guard let privateKey = root.privateKey else {
            throw PlatformError(.internalError, "The root key has no private half.")
        }
        return try await work.run { () throws(PlatformError) in
            try cryptography.signEd25519(message, privateKey: privateKey)
        }
    }
}
