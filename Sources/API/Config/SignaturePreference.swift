import Domain
import HTTP

/// The request's preference for a response that is signed as a whole.
enum SignaturePreference {
    case none
    /// Requested by `Accept-Signature` (RFC 9421 §5), which a server may ignore.
    case optional
    /// Required by `?signed=1`.
    case required

    /// The limit on the bytes of all `Accept-Signature` lines, whose parsing takes quadratic time; longer ones are
    /// ignored.
    static let maximumFieldBytes = 512

    /// Accepts any valid value of the field: the server chooses the covered components and the algorithm.
    init(_ head: RequestHead, _ query: DeviceQuery?) {
        if query?.requiresSignature ?? false {
            self = .required
        } else if head.bytes(of: .acceptSignature) != nil, Self.isRequested(by: head.allBytes(of: .acceptSignature)) {
            self = .optional
        } else {
            self = .none
        }
    }

    private static func isRequested(by lines: [ArraySlice<UInt8>]) -> Bool {
        guard lines.reduce(0, { $0 + $1.count }) <= maximumFieldBytes else { return false }
        let text = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        return StructuredDictionary(text)?.members.contains { member in
            if case .list = member.item.value { true } else { false }
        } ?? false
    }
}
