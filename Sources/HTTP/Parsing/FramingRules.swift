import Ground

/// The rules by which a request's fields determine its body and connection (RFC 9112 §3.2, §6, §9).
///
/// A combination that another reader of the bytes could interpret differently is rejected, never repaired.
struct FramingRules: Sendable {
    private var hasHost = false
    private var length: Int?
    private var codings = TransferCodings()
    private var closes = false
    private var keepsAlive = false
    private var expectsContinue = false
    private var hasContentType = false
    /// The authority of an absolute-form target, which replaces `Host` (RFC 9112 §3.2.2).
    var authority: Range<Int>?

    /// Records one field with its trimmed value.
    @inline(__always)
    mutating func note(
        _ name: Span<UInt8>, _ value: Span<UInt8>, _ field: inout RequestHead.FieldSlice
    )
        throws(HeadError)
    {
        switch name.count {
        case 4 where name.equals(lowercased: "host"):
            try noteHost(value)
            if let authority { field.value = authority }
        case 6 where name.equals(lowercased: "expect"): try noteExpect(value)
        case 10 where name.equals(lowercased: "connection"): noteConnection(value)
        case 12 where name.equals(lowercased: "content-type"): hasContentType = true
        case 14 where name.equals(lowercased: "content-length"): try noteLength(value)
        case 17 where name.equals(lowercased: "transfer-encoding"): try codings.note(value)
        default: break
        }
    }

    /// Checks the fields against one another and stores the result in the head.
    mutating func settle(_ head: inout RequestHead) throws(HeadError) {
        guard hasHost || head.minorVersion == 0 else { throw .malformed }
        if codings.isPresent {
            guard length == nil, head.minorVersion == 1 else { throw .malformed }
            head.framing = try codings.settle() ? .chunked : .none
        } else if let length {
            if length > 0 { head.framing = .length(length) }
        } else if hasContentType, head.minorVersion == 0, head.method.announcesContent {
            throw .lengthRequired
        }
        head.isPersistent = !closes && (head.minorVersion == 1 || keepsAlive)
        head.expectsContinue = expectsContinue && head.minorVersion == 1 && head.framing != .none
    }

    /// Records `Host`; it is empty if the target has no authority (RFC 9112 §3.2).
    private mutating func noteHost(_ value: Span<UInt8>) throws(HeadError) {
        guard !hasHost, value.isEmpty || Authority.isValid(value) else { throw .malformed }
        hasHost = true
    }

    private mutating func noteExpect(_ value: Span<UInt8>) throws(HeadError) {
        guard value.equals(lowercased: "100-continue") else { throw .unknownExpectation }
        expectsContinue = true
    }

    /// Records `Content-Length`: one number in one field; leading zeros are allowed.
    private mutating func noteLength(_ value: Span<UInt8>) throws(HeadError) {
        guard length == nil, !value.isEmpty else { throw .malformed }
        var total = 0
        var isTooLarge = false
        for index in value.indices {
            guard ASCII.isDigit(value[index]) else { throw .malformed }
            if total > (Int.max - 9) / 10 { isTooLarge = true } else { total = total * 10 + Int(value[index] - 0x30) }
        }
        guard !isTooLarge else { throw .contentTooLarge }
        length = total
    }

    private mutating func noteConnection(_ value: Span<UInt8>) {
        var start = 0
        while let option = value.listElement(from: &start) {
            closes = closes || value.extracting(option).equals(lowercased: "close")
            keepsAlive = keepsAlive || value.extracting(option).equals(lowercased: "keep-alive")
        }
    }
}

extension Method {
    /// Whether requests with this method usually have content.
    fileprivate var announcesContent: Bool { self == .post || self == .put }
}
