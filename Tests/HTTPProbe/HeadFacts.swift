package import HTTP

/// The values of a parsed head for comparison, and its bytes for another way of parsing.
package struct HeadFacts: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let name: [UInt8]
        package let value: [UInt8]
    }

    package let bytes: [UInt8]
    package let method: String
    package let minorVersion: Int
    package let path: [UInt8]
    package let query: [UInt8]
    package let fields: [Field]
    package let framing: BodyFraming
    package let isPersistent: Bool
    package let expectsContinue: Bool

    init(_ head: RequestHead) {
        bytes = head.bytes
        method = head.method.token
        minorVersion = head.minorVersion
        path = Array(head.bytes[head.pathRange])
        query = Array(head.bytes[head.queryRange])
        fields = head.fields.map { Field(name: Array(head.bytes[$0.name]), value: Array(head.bytes[$0.value])) }
        framing = head.framing
        isPersistent = head.isPersistent
        expectsContinue = head.expectsContinue
    }
}

extension HeadFacts: CustomStringConvertible {
    /// The method, the target, and the unusual consequences of the fields.
    package var description: String {
        var text = method + " " + String(decoding: path, as: UTF8.self)
        if !query.isEmpty { text += "?" + String(decoding: query, as: UTF8.self) }
        switch framing {
        case .none: break
        case .length(let length): text += " length \(length)"
        case .chunked: text += " chunked"
        }
        if expectsContinue { text += " expects" }
        return isPersistent ? text : text + " last"
    }
}
