package import Domain
package import HTTP

/// A dialect with the routes that its clients call.
package protocol ServedDialect: DialectRules {
    /// Makes the endpoint of an application, once.
    func makeEndpoint(in context: DialectContext) -> any DialectEndpoint
}

/// The routes of a dialect.
package protocol DialectEndpoint: Sendable {
    /// Adds the routes that clients call, below each of ``ClientBase/patterns``.
    func addRoutes(to router: inout Router<APIEndpoint>)

    /// Adds the routes of uploaded content, which a separate content host serves as well.
    ///
    /// - Parameter contentURL: The base URL of the content host; `nil` for the routes of the content host itself.
    func addContentRoutes(to router: inout Router<APIEndpoint>, redirectingTo contentURL: PublicURL?)
}

extension DialectEndpoint {
    package func addContentRoutes(to router: inout Router<APIEndpoint>, redirectingTo contentURL: PublicURL?) {}
}

/// The parts of an application from which dialects make their endpoints.
package struct DialectContext: Sendable {
    package let services: Services
    /// The base of the URLs of blobs.
    package let blobURL: PublicURL
    /// The isolation of uploaded pages.
    package let isolation: UnpackedFiles.Isolation
    /// The queue of requests that look files up in the store.
    package let lookups: LookupQueue
    /// The budget of responses that only one client gets.
    package let unshared: ResponseBudget
}
