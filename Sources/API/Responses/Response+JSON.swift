import Domain
import Execution
package import Ground
package import HTTP

extension Response {
    /// Returns a JSON response of the operators' API, which caches never store.
    package static func json(_ status: Status, _ value: JSON, fields: Fields = Fields()) -> Response {
        var fields = fields
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-store"
        return Response(status, fields: fields, body: .bytes(value.bytes()))
    }

    /// Returns the response that shows one object, with its entity tag.
    static func json(_ status: Status, _ value: JSON, tag: String) -> Response {
        .json(status, value, fields: [.etag: "\"\(tag)\""])
    }

    /// Returns a JSON response that is built and serialized on a worker thread, for documents of megabytes.
    static func json(
        _ status: Status, on work: WorkExecutor, _ value: @escaping @Sendable () -> JSON
    ) async -> Response {
        await work.run { .json(status, value()) }
    }
}
