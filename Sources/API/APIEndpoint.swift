import Domain
import HTTP

/// How a route answers: from its head and the variable parts of its path, on the event loop.
struct APIEndpoint: Sendable {
    let answer: @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
}

extension Router where Endpoint == APIEndpoint {
    /// Adds a route.
    mutating func add(
        _ method: Method, _ pattern: String,
        answer: @escaping @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
    ) {
        add(method, pattern, APIEndpoint(answer: answer))
    }
}
