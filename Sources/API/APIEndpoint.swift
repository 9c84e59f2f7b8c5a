package import Domain
package import HTTP

/// A route's handler, which decides on the event loop from the head of a request and the variable parts of its path.
package struct APIEndpoint: Sendable {
    package let respond: @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
}

extension Router where Endpoint == APIEndpoint {
    /// Adds a route.
    package mutating func add(
        _ method: Method, _ pattern: String,
        respond: @escaping @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
    ) {
        add(method, pattern, APIEndpoint(respond: respond))
    }

    /// Adds the response to the preflight requests that browsers send before a page's request.
    package mutating func addPreflight(_ methods: [Method], _ pattern: String) {
        let preflight = CORS.preflight(methods)
        add(.options, pattern) { _, _ throws(PlatformError) in .prepared(preflight) }
    }

    /// Adds a route whose error responses carry CORS fields, so that pages see the error instead of a network failure.
    package mutating func addForPages(
        _ method: Method, _ pattern: String, _ log: any Log,
        respond: @escaping @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
    ) {
        add(method, pattern) { head, parameters throws(PlatformError) in
            do throws(PlatformError) { return try respond(head, parameters) } catch {
                return .respond(error.response(log: log).readableByPages)
            }
        }
    }
}
