import Ground

extension PeerAddress {
    /// Reads a numeric address; an IPv6 address has neither brackets nor a zone.
    package init?(_ text: Substring) {
        if text.contains(":") {
            guard let groups = Self.groups(text) else { return nil }
            self.init(ipv6: Self.join(groups[..<4]), Self.join(groups[4...]))
        } else {
            guard let address = Self.ipv4(text) else { return nil }
            self.init(ipv4: address)
        }
    }

    package init?(_ text: String) { self.init(text[...]) }

    private static func join(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }

    /// Reads four decimal numbers and rejects leading zeros, which some programs read as octal.
    private static func ipv4(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(ASCII.isDigit),
                part.utf8.count == 1 || !part.hasPrefix("0"), let number = UInt8(part)
            else { return nil }
            address = address << 8 | UInt32(number)
        }
        return address
    }

    /// Reads the eight groups of an IPv6 address (RFC 4291 §2.2), the last two of which may be written as an IPv4
    /// address.
    private static func groups(_ text: Substring) -> [UInt16]? {
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstDoubleColon else { return words(text).flatMap { $0.count == 8 ? $0 : nil } }
        let tail = text[text.index(gap, offsetBy: 2)...]
        guard let head = words(text[..<gap]), let rest = words(tail), head.count + rest.count < 8,
            !text[..<gap].contains(".")
        else { return nil }
        return head + [UInt16](repeating: 0, count: 8 - head.count - rest.count) + rest
    }

    private static func words(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var words: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let address = ipv4(part) else { return nil }
                words += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ ASCII.hexadecimal($0) != nil }),
                    let word = UInt16(part, radix: 16)
                else { return nil }
                words.append(word)
            }
        }
        return words
    }
}

extension Substring {
    fileprivate var firstDoubleColon: Index? {
        var previous: Index?
        for index in indices {
            if self[index] == ":", let previous, self[previous] == ":" { return previous }
            previous = index
        }
        return nil
    }
}
