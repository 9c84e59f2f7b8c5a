import Ground

/// A map of the content hashes in file names, old to new, which is applied to the texts that mention them.
///
/// No old token is a prefix of another one, so replacement is unambiguous. A new token has the length of the old one,
/// so a text never grows.
struct TokenMap {
    private var replacements: [[UInt8]: [UInt8]] = [:]
    private var lengths: [Int] = []
    /// The proper prefixes of the old tokens that have at least ``shortest`` bytes.
    private var shorter: Set<[UInt8]> = []
    /// A flag for each pair of first two bytes that an old token has.
    private var beginnings = [Bool](repeating: false, count: 1 << 16)

    /// The minimum length of a token in bytes.
    static let shortest = 4
    /// The maximum length of a token in bytes.
    static let longest = 64

    /// Whether the bytes are a token: letters, digits, `-` and `_` of an allowed length.
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        (shortest...longest).contains(bytes.count) && bytes.allSatisfy(isTokenByte)
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    var isEmpty: Bool { replacements.isEmpty }

    /// Adds a replacement; returns `false` without a change if it contradicts an existing one.
    mutating func add(_ old: [UInt8], _ new: [UInt8]) -> Bool {
        if let known = replacements[old] { return known == new }
        guard old.count == new.count, Self.isToken(old), Self.isToken(new) else { return false }
        let beginnings = (Self.shortest..<old.count).map { Array(old.prefix($0)) }
        guard !shorter.contains(old), beginnings.allSatisfy({ replacements[$0] == nil }) else { return false }
        shorter.formUnion(beginnings)
        replacements[old] = new
        if !lengths.contains(old.count) { lengths = (lengths + [old.count]).sorted() }
        self.beginnings[Self.beginning(old[0], old[1])] = true
        return true
    }

    private static func beginning(_ first: UInt8, _ second: UInt8) -> Int { Int(first) << 8 | Int(second) }

    /// Returns the text with all old tokens replaced from left to right, or `nil` if it contains none.
    func replaced(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard !isEmpty, text.count >= Self.shortest else { return nil }
        var result: [UInt8] = []
        var copied = 0
        var index = 0
        let last = text.count - Self.shortest
        beginnings.withUnsafeBufferPointer { beginnings in
            while index <= last {
                guard beginnings[Self.beginning(text[index], text[index + 1])], let found = token(at: index, in: text)
                else {
                    index += 1
                    continue
                }
                if result.isEmpty { result.reserveCapacity(text.count) }
                result.append(contentsOf: text[copied..<index])
                result.append(contentsOf: found.new)
                index += found.length
                copied = index
            }
        }
        guard copied > 0 else { return nil }
        result.append(contentsOf: text[copied...])
        return result
    }

    private func token(at index: Int, in text: UnsafeRawBufferPointer) -> (length: Int, new: [UInt8])? {
        for length in lengths where index + length <= text.count {
            if let new = replacements[Array(text[index..<(index + length)])] { return (length, new) }
        }
        return nil
    }
}
