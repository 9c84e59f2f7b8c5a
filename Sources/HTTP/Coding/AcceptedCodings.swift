import Ground

/// The weights that `Accept-Encoding` gives to the known codings (RFC 9110 §12.5.3), read without allocating.
package struct AcceptedCodings: Hashable, Sendable {
    /// Weights in thousandths; negative for a coding that the field does not name.
    private var identity: Int16 = -1
    private var gzip: Int16 = -1
    private var brotli: Int16 = -1
    /// The weight of `*`, which applies to all codings that are not named.
    private var others: Int16 = -1

    /// Creates the weights of a request without the field: only identity is acceptable.
    ///
    /// Without the field any coding would be allowed (RFC 9110 §12.5.3), but such a client may not know any.
    package init() {}

    package init(_ head: RequestHead) {
        self.init()
        for value in head.allBytes(of: .acceptEncoding) { read(value.span) }
    }

    /// Reads one line of the field.
    @inline(__always)
    init(_ value: Span<UInt8>) {
        if let common = Self.common(value) {
            self = common
        } else {
            self.init()
            read(value)
        }
    }

    private init(gzip: Int16, brotli: Int16) {
        self.gzip = gzip
        self.brotli = brotli
    }

    /// Returns the weights of the values that browsers and HTTP libraries of apps usually send.
    @inline(__always)
    private static func common(_ value: Span<UInt8>) -> AcceptedCodings? {
        switch value.count {
        case 23 where value.equals("gzip, deflate, br, zstd"): AcceptedCodings(gzip: 1000, brotli: 1000)
        case 17 where value.equals("gzip, deflate, br"): AcceptedCodings(gzip: 1000, brotli: 1000)
        case 13 where value.equals("gzip, deflate"): AcceptedCodings(gzip: 1000, brotli: -1)
        case 4 where value.equals("gzip"): AcceptedCodings(gzip: 1000, brotli: -1)
        default: nil
        }
    }

    /// Returns the weight of a coding in thousandths, 0 for one that is refused or not requested.
    ///
    /// Identity comes after every requested coding if the field does not mention it.
    func weight(of coding: ContentCoding) -> Int16 {
        let own =
            switch coding {
            case .identity: identity
            case .gzip: gzip
            case .brotli: brotli
            }
        return own >= 0 ? own : max(others, 0)
    }

    /// Whether the field allows a representation in this coding, in a response or in the client's cache.
    package func accepts(_ coding: ContentCoding) -> Bool {
        weight(of: coding) > 0 || coding == .identity && identity < 0 && others < 0
    }

    /// Whether the field allows a coding other than identity.
    package var acceptsAny: Bool { accepts(.gzip) || accepts(.brotli) }

    /// Reads one more line of the field and skips malformed elements.
    private mutating func read(_ value: Span<UInt8>) {
        var start = 0
        while let element = value.listElement(from: &start) { readElement(value.extracting(element)) }
    }

    private mutating func readElement(_ element: Span<UInt8>) {
        let start = element.endOfSpace(from: 0)
        var end = start
        while end < element.count, ASCII.isToken(element[end]) { end += 1 }
        guard end > start, let weight = Self.weight(element.extracting(end..<element.count)) else { return }
        let coding = element.extracting(start..<end)
        switch coding.count {
        case 1 where coding.equals("*"): others = weight
        case 2 where coding.equals(lowercased: "br"): brotli = weight
        // `x-gzip` is an old name of gzip (RFC 9110 §8.4.1.3).
        case 4 where coding.equals(lowercased: "gzip"), 6 where coding.equals(lowercased: "x-gzip"): gzip = weight
        case 8 where coding.equals(lowercased: "identity"): identity = weight
        default: break
        }
    }

    /// Reads the weight after a coding, `;q=0.5` (RFC 9110 §12.4.2): 1000 without one, `nil` if malformed.
    private static func weight(_ text: Span<UInt8>) -> Int16? {
        var index = text.endOfSpace(from: 0)
        guard index < text.count else { return 1000 }
        guard text[index] == ASCII.semicolon else { return nil }
        index = text.endOfSpace(from: index + 1)
        guard index + 2 < text.count, ASCII.lowercased(text[index]) == 0x71, text[index + 1] == ASCII.equals,
            text[index + 2] == 0x30 || text[index + 2] == 0x31
        else { return nil }
        var weight = Int16(text[index + 2] - 0x30) * 1000
        index += 3
        if index < text.count, text[index] == ASCII.dot {
            index += 1
            var unit: Int16 = 100
            while index < text.count, ASCII.isDigit(text[index]), unit > 0 {
                weight += Int16(text[index] - 0x30) * unit
                unit /= 10
                index += 1
            }
        }
        return weight <= 1000 && text.endOfSpace(from: index) == text.count ? weight : nil
    }
}

extension Span<UInt8> {
    /// Returns the index of the first byte at or after `start` that is not white space.
    fileprivate func endOfSpace(from start: Int) -> Int {
        var index = start
        while index < count, self[index] == ASCII.space || self[index] == ASCII.tab { index += 1 }
        return index
    }
}
