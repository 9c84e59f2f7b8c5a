import Ground

/// The request line and fields of one request (RFC 9112 §3, §5): the received bytes and the position of each part.
///
/// The parser fills one in place and reuses its storage, so that a request on the fast path allocates nothing; a copy
/// that outlives the request is a copy on write.
package struct RequestHead: Sendable {
    /// The position of one field in ``bytes``, its value without surrounding white space.
    package struct FieldSlice: Sendable {
        package var name: Range<Int>
        package var value: Range<Int>

        package init(name: Range<Int>, value: Range<Int>) {
            self.name = name
            self.value = value
        }
    }

    package var method: Method
    /// The minor version of HTTP/1: 0 or 1.
    package var minorVersion: Int
    /// All bytes up to and including the empty line, as received.
    package var bytes: [UInt8]
    /// The position of the path in ``bytes``, still percent-encoded, beginning with `/`.
    package var pathRange: Range<Int>
    /// The position of the query in ``bytes``, without `?`; empty if there is none.
    package var queryRange: Range<Int>
    package var fields: [FieldSlice]
    /// The framing of the body.
    package var framing: BodyFraming
    /// Whether the peer allows further requests on the connection (RFC 9112 §9.3).
    package var isPersistent: Bool
    /// Whether the peer waits for `100 Continue` before it sends the body.
    package var expectsContinue: Bool
    /// The address of the client, which the server derives from the connection and its proxies.
    package var client = PeerAddress.unknown

    package init() {
        method = .get
        minorVersion = 1
        bytes = []
        pathRange = 0..<0
        queryRange = 0..<0
        fields = []
        framing = .none
        isPersistent = true
        expectsContinue = false
    }

    /// Resets the head for the next request and keeps its storage.
    mutating func removeAll() {
        method = .get
        minorVersion = 1
        bytes.removeAll(keepingCapacity: true)
        pathRange = 0..<0
        queryRange = 0..<0
        fields.removeAll(keepingCapacity: true)
        framing = .none
        isPersistent = true
        expectsContinue = false
        client = .unknown
    }

    /// The path as received, still percent-encoded.
    package var path: String { String(decoding: bytes[pathRange], as: UTF8.self) }

    /// Returns the first value of a field as bytes, without copying them.
    package func bytes(of name: FieldName) -> ArraySlice<UInt8>? {
        for field in fields where matches(field.name, name.lowercased) {
            return bytes[field.value]
        }
        return nil
    }

    /// The first value of a field; bytes that are not UTF-8 are replaced.
    package subscript(_ name: FieldName) -> String? {
        bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    func matches(_ range: Range<Int>, _ lowercased: [UInt8]) -> Bool {
        guard range.count == lowercased.count else { return false }
        for offset in 0..<lowercased.count {
            guard ASCII.lowercased(bytes[range.lowerBound + offset]) == lowercased[offset] else { return false }
        }
        return true
    }
}
