import Domain
import Execution
import HTTP

extension Response {
    /// A JSON answer of the operators' API: never kept by a cache.
    static func json(_ status: Status, _ value: JSON, fields: Fields = Fields()) -> Response {
        var fields = fields
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-store"
        return Response(status, fields: fields, body: .bytes(value.bytes()))
    }

    /// The same for what may be megabytes: made and written on a thread for work, since it would hold up an event loop.
    static func json(
        _ status: Status, on work: WorkExecutor, _ value: @escaping @Sendable () -> JSON
    ) async -> Response {
        await work.run { .json(status, value()) }
    }
}
