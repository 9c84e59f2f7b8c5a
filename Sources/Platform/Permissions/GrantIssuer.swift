package import Domain
package import Execution

/// An issuer of statements of the native APIs that a page outside packages may use; each is signed for one request.
package final class GrantIssuer: Sendable {
    private let store: any PageGrantStore
    private let keys: KeyRing
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let work: WorkExecutor

    /// - Parameter work: The pool that signs; not that of publishing, which may occupy all of its threads.
    package init(store: any PageGrantStore, keys: KeyRing, work: WorkExecutor) {
        self.store = store
        self.keys = keys
        cryptography = keys.cryptography
        clock = keys.clock
        self.work = work
    }

    /// An issued grant with its signatures.
    package struct Outcome: Sendable {
        package let grant: IssuedGrant
        /// The granted APIs that the host build lacks; `nil` for an unregistered build.
        package let lacking: [String]?
        package let signatures: [Signature]
    }

    /// Issues a grant for a page, signed by every key in use whose private half is on the server.
    ///
    /// Throws `pageNotGranted` if no valid grant covers the page, and `signingFailed` if there is no such key: a
    /// request never makes the server run a command (decision 0028).
    ///
    /// - Parameter appVersion: The version of the requesting host build.
    package func issue(
        to page: PageURL, nonce: GrantNonce, appVersion: String?, in view: ChannelView
    ) async throws(PlatformError) -> Outcome {
        let grants = try await store.pageGrants(of: view.app, about: page)
        guard let grant = IssuedGrant(of: view.app, to: page, nonce: nonce, by: grants, at: clock.now()) else {
            throw PlatformError(
                .pageNotGranted,
                "No valid page grant covers \(page). An operator of the app can create one:",
                remedy: .createPageGrant(of: view.app))
        }
        let inUse = try await keys.keysInUse(of: view.app).signingHere
        guard !inUse.isEmpty else {
            throw PlatformError(
                .signingFailed,
                "The private halves of all signing keys of '\(view.app)' are outside the server, but only the server signs "
                    + "grants. Generate a signing key on the server.")
        }
        let signatures = try await work.run { () throws(PlatformError) in
            var signatures: [Signature] = []
            for key in inUse { signatures.append(try key.signature(over: grant.signedBytes, by: cryptography)) }
            return signatures
        }
        let apis = appVersion.flatMap { view.snapshot.builds[$0] }
        return Outcome(
            grant: grant, lacking: apis.map { apis in grant.apis.filter { !apis.contains($0) } },
            signatures: signatures)
    }
}
