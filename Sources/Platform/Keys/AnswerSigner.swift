package import Domain
import Synchronization

/// Signs whole answers with the keys of an app whose private halves are here.
///
/// Never described: it holds private halves.
package struct AnswerSigner: Sendable {
    /// Of the app's keys when these were read; see ``KeyRing/revision(of:)``.
    package let revision: Int
    /// The newest one first; none where all are outside.
    private let keys: [AppKey]
    private let cryptography: any Cryptography

    init(_ keys: [AppKey], revision: Int, cryptography: any Cryptography) {
        self.keys = keys.signingHere.reversed()
        self.revision = revision
        self.cryptography = cryptography
    }

    /// The keys that sign, in their order.
    package var keyIDs: [KeyID] { keys.map(\.id) }

    /// One signature of each key, in the order of ``keyIDs``; takes a moment.
    ///
    /// - Parameter message: What a key signs, which may name it.
    package func signatures(over message: (KeyID) -> [UInt8]) throws(PlatformError) -> [Signature] {
        var signatures: [Signature] = []
        for key in keys { signatures.append(try key.signature(over: message(key.id), by: cryptography)) }
        return signatures
    }
}

extension KeyRing {
    /// What signs whole answers of an app, if it is known by now.
    package func knownAnswerSigner(of app: AppID) -> AnswerSigner? {
        let known = answerSigners.withLock { $0[app] }
        return known?.revision == revision(of: app) ? known : nil
    }

    /// What signs whole answers of an app; read once after each change of its keys.
    package func answerSigner(of app: AppID) async throws(PlatformError) -> AnswerSigner {
        if let known = knownAnswerSigner(of: app) { return known }
        // Before the keys are read: of what is younger no more than that is told.
        let revision = revision(of: app)
        let signer = AnswerSigner(try await store.keys(of: app), revision: revision, cryptography: cryptography)
        answerSigners.withLock { $0[app] = signer }
        return signer
    }
}
