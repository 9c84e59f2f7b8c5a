package import Domain
import Execution
import Ground

extension KeyRing {
    /// Returns the `/keys.json` of an app; makes a new document if the last one is a day old or keys have changed.
    package func document(of app: AppID) async throws(PlatformError) -> SignedKeyDocument {
        try await documents.pass { () throws(PlatformError) in
            let now = clock.now()
            let facts = try await store.keyFacts(
                of: app, retired: KeyDocument.historyLength, changes: RootChange.historyLength)
            guard let facts else { throw Self.missing(.root, of: app) }
            guard !facts.signing.isEmpty else { throw Self.missing(.signing, of: app) }
            let root = facts.root
            let last = try await store.keyDocument(of: app)
            let document = KeyDocument(
                app: app, number: max((last?.number ?? 0) + 1, now.milliseconds), issuedAt: now,
                expiresAt: now.adding(milliseconds: KeyDocument.lifetimeMilliseconds), root: root.id,
                rootPublicKey: root.publicKey, signing: facts.signing.map(KeyDocument.Key.init),
                history: facts.retired.map(KeyDocument.Key.init), rootHistory: facts.rootChanges)
            if let last, last.keyID == root.id, last.issuedAt <= now,
                now < last.issuedAt.adding(milliseconds: KeyDocument.renewalMilliseconds),
                document.namesKeys(of: last.document)
            {
                return last
            }
            let signed = try await sign(document, by: root)
            do throws(PlatformError) {
                try await store.saveKeyDocument(signed, of: app)
            } catch {
                // Another node may have made one meanwhile.
                if let other = try await store.keyDocument(of: app), other.number >= signed.number,
                    other.keyID == root.id, document.namesKeys(of: other.document)
                {
                    return other
                }
                // A full disk does not invalidate a document that has not expired.
                guard let last, last.keyID == root.id, now < last.expiresAt, document.namesKeys(of: last.document)
                else { throw error }
                return last
            }
            return signed
        }
    }

    private func sign(_ document: KeyDocument, by root: AppKey) async throws(PlatformError) -> SignedKeyDocument {
        let signature = try await signByRoot(KeyDocument.prefix + document.bytes, root)
        return SignedKeyDocument(
            number: document.number, issuedAt: document.issuedAt, expiresAt: document.expiresAt,
            document: document.bytes, keyID: root.id, signature: signature)
    }
}
