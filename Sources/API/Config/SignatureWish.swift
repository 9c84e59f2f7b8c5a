import Domain
import HTTP

/// Whether a request asks for an answer that is signed as a whole.
enum SignatureWish {
    case none
    /// By `Accept-Signature` (RFC 9421 §5), which a server may pass over.
    case welcome
    /// By `?signed=1`.
    case demanded

    /// Bytes of the field, of all its lines together; longer ones are passed over, since each member is looked for among all.
    static let maximumFieldBytes = 512

    /// Of the field any value counts that is one: what is covered, and how, is the server's choice.
    init(_ head: RequestHead, _ query: DeviceQuery?) {
        if query?.demandsSignature ?? false {
            self = .demanded
        } else if head.bytes(of: .acceptSignature) != nil, Self.isAsking(head.allBytes(of: .acceptSignature)) {
            self = .welcome
        } else {
            self = .none
        }
    }

    private static func isAsking(_ lines: [ArraySlice<UInt8>]) -> Bool {
        guard lines.reduce(0, { $0 + $1.count }) <= maximumFieldBytes else { return false }
        let text = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        return StructuredDictionary(text)?.members.contains { member in
            if case .list = member.item.value { true } else { false }
        } ?? false
    }
}
