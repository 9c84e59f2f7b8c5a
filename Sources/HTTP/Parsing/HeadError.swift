/// Why a request head is refused.
package enum HeadError: Error, Hashable {
    /// Not a request as RFC 9112 defines it, or one whose framing two readers could take differently.
    case malformed
    /// The target is longer than ``Limits/targetBytes``.
    case targetTooLong
    /// Past ``Limits/headBytes`` or ``Limits/fieldCount``.
    case fieldsTooLarge
    /// An expectation other than `100-continue` (RFC 9110 §10.1.1).
    case unknownExpectation
    /// A transfer coding other than `chunked` (RFC 9112 §6.1).
    case unknownTransferCoding
    /// `CONNECT`, or a method longer than any that is registered (RFC 9112 §3).
    case unknownMethod
    /// A declared length beyond what can be counted.
    case contentTooLarge
    /// Content whose length nothing tells: a `POST` or `PUT` of HTTP/1.0 with a type and without a length.
    case lengthRequired
    /// A major version other than 1.
    case versionNotSupported

    /// The status that answers it; the connection is closed after it.
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
