import Domain
import HTTP

extension Response {
    /// A JSON answer of the operators' API: never kept by a cache.
    static func json(_ status: Status, _ value: JSON, fields: Fields = Fields()) -> Response {
        var fields = fields
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-store"
        return Response(status, fields: fields, body: .bytes(value.bytes()))
    }
}
