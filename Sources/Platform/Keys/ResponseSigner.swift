package import Domain
import Synchronization

/// A signer of whole responses with the keys of an app whose private halves are on the server.
///
/// It has no description, since it holds private halves.
package struct ResponseSigner: Sendable {
    /// The revision of the app's keys when they were read; see ``KeyRing/revision(of:)``.
    package let revision: Int
    /// The keys, newest first; empty if all private halves are external.
    private let keys: [AppKey]
    private let cryptography: any Cryptography

    init(_ keys: [AppKey], revision: Int, cryptography: any Cryptography) {
        self.keys = keys.signingHere.reversed()
        self.revision = revision
        self.cryptography = cryptography
    }

    /// The ids of the keys, newest first.
    package var keyIDs: [KeyID] { keys.map(\.id) }

    /// Returns one signature of each key, in the order of ``keyIDs``; takes a moment.
    ///
    /// - Parameter message: Returns the bytes that a key signs, which may contain its id.
    package func signatures(over message: (KeyID) -> [UInt8]) throws(PlatformError) -> [Signature] {
        var signatures: [Signature] = []
        for key in keys { signatures.append(try key.signature(over: message(key.id), by: cryptography)) }
        return signatures
    }
}

extension KeyRing {
    /// Returns the cached signer of an app if it is current.
    package func knownResponseSigner(of app: AppID) -> ResponseSigner? {
        let known = responseSigners.withLock { $0[app] }
        return known?.revision == revision(of: app) ? known : nil
    }

    /// Returns the signer of an app; reads the keys once after each change of them.
    package func responseSigner(of app: AppID) async throws(PlatformError) -> ResponseSigner {
        if let known = knownResponseSigner(of: app) { return known }
        // The revision is read first: newer keys under an older revision are read again.
        let revision = revision(of: app)
        let signer = ResponseSigner(try await store.keys(of: app), revision: revision, cryptography: cryptography)
        responseSigners.withLock { $0[app] = signer }
        return signer
    }
}
