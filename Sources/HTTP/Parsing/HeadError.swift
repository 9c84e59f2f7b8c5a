/// The reason why a request head is rejected.
package enum HeadError: Error, Hashable {
    /// The bytes are no request by RFC 9112, or two readers could disagree on its framing.
    case malformed
    /// The target is longer than ``Limits/targetBytes``.
    case targetTooLong
    /// The head exceeds ``Limits/headBytes`` or ``Limits/fieldCount``.
    case fieldsTooLarge
    /// The expectation is not `100-continue` (RFC 9110 §10.1.1).
    case unknownExpectation
    /// A transfer coding is not `chunked` (RFC 9112 §6.1).
    case unknownTransferCoding
    /// The method is `CONNECT` or longer than every registered method (RFC 9112 §3).
    case unknownMethod
    /// The declared length exceeds the integer range.
    case contentTooLarge
    /// The length of the content is unknown: a `POST` or `PUT` of HTTP/1.0 with a type and without a length.
    case lengthRequired
    /// The major version is not 1.
    case versionNotSupported

    /// The status of the response, after which the connection is closed.
    package var status: Status {
        switch self {
        case .malformed: .badRequest
        case .targetTooLong: .uriTooLong
        case .fieldsTooLarge: .requestHeaderFieldsTooLarge
        case .unknownExpectation: .expectationFailed
        case .unknownTransferCoding: .notImplemented
        case .unknownMethod: .notImplemented
        case .contentTooLarge: .contentTooLarge
        case .lengthRequired: .lengthRequired
        case .versionNotSupported: .httpVersionNotSupported
        }
    }
}
