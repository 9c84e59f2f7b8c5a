package import Domain
package import Execution
package import HTTP

extension KeyedGate where Key == PackageKey, Client == PeerAddress {
    /// The number of requests for lists of one package that may wait.
    package static var waitingForList: Int { 1 << 16 }

    /// Runs `body` once the queue admits the client, or throws `busy` if too many requests wait.
    package func pass(
        _ package: PackageKey, as head: RequestHead, _ body: () async throws(PlatformError) -> Response
    ) async throws(PlatformError) -> Response {
        guard let response = try await pass(package, as: head.client.customer, body) else {
            throw PlatformError(
                .busy, "Too many requests for lists of this package are waiting. Try again in a moment.")
        }
        return response
    }
}

/// A package of any app.
package struct PackageKey: Hashable, Sendable {
    package let app: AppID
    package let package: PackageID

    package init(app: AppID, package: PackageID) {
        self.app = app
        self.package = package
    }
}
