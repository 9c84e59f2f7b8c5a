import Ground

extension HeadParser {
    /// The maximum length of a method that is read to its end: more than every registered method has.
    private static let methodBytes = 32
    private static let versionBytes = 10

    /// Reads from ``position`` to the end of the head or of `bytes`, which begin at the head's start; returns whether
    /// the head is complete.
    mutating func advance(over bytes: Span<UInt8>, into head: inout RequestHead) throws(HeadError) -> Bool {
        while position < bytes.count {
            switch state {
            case .start: try readStart(bytes[position])
            case .startLineFeed: try expectLineFeed(bytes[position], then: .start)
            case .method: try readMethod(bytes, into: &head)
            case .target: try readTarget(bytes, into: &head)
            case .version: try readVersion(bytes, into: &head)
            case .fieldStart: readFieldStart(bytes[position])
            case .name: try readName(bytes)
            case .beforeValue: skipSpace(bytes)
            case .value: try readValue(bytes, into: &head)
            case .valueLineFeed: try expectLineFeed(bytes[position], then: .fieldStart)
            case .endLineFeed:
                try expectLineFeed(bytes[position], then: .start)
                try framing.settle(&head)
                return true
            }
        }
        return false
    }

    /// Skips a few empty lines before the request line (RFC 9112 §2.2).
    private mutating func readStart(_ byte: UInt8) throws(HeadError) {
        guard byte == ASCII.carriageReturn else {
            state = .method
            mark = position
            return
        }
        emptyLines += 1
        guard emptyLines <= limits.emptyLines else { throw .malformed }
        state = .startLineFeed
        position += 1
    }

    private mutating func expectLineFeed(_ byte: UInt8, then next: State) throws(HeadError) {
        guard byte == ASCII.lineFeed else { throw .malformed }
        position += 1
        mark = position
        state = next
    }

    private mutating func readMethod(_ bytes: Span<UInt8>, into head: inout RequestHead) throws(HeadError) {
        var index = position
        while index < bytes.count, ASCII.isToken(bytes[index]) { index += 1 }
        position = index
        guard index - mark <= Self.methodBytes else { throw .unknownMethod }
        guard index < bytes.count else { return }
        guard bytes[index] == ASCII.space, index > mark else { throw .malformed }
        let method = bytes.extracting(mark..<index)
        guard !method.equals("CONNECT") else { throw .unknownMethod }
        head.method = Method(method)
        position = index + 1
        mark = position
        state = .target
    }

    private mutating func readTarget(_ bytes: Span<UInt8>, into head: inout RequestHead) throws(HeadError) {
        let end = min(bytes.count, mark + limits.targetBytes + 1)
        var index = position
        while index < end, ASCII.isTarget(bytes[index]) { index += 1 }
        position = index
        guard index - mark <= limits.targetBytes else { throw .targetTooLong }
        guard index < bytes.count else { return }
        guard bytes[index] == ASCII.space, index > mark else { throw .malformed }
        target = mark..<index
        position = index + 1
        mark = position
        state = .version
    }

    private mutating func readVersion(_ bytes: Span<UInt8>, into head: inout RequestHead) throws(HeadError) {
        let end = mark + Self.versionBytes
        // A fast path for the usual version in one comparison; the version of a new head is 1.1.
        if end <= bytes.count, bytes.extracting(mark..<end).equals("HTTP/1.1\r\n") { position = end }
        while position < bytes.count, position - mark < Self.versionBytes {
            let byte = bytes[position]
            switch position - mark {
            case 0: guard byte == 0x48 else { throw .malformed }
            case 1, 2: guard byte == 0x54 else { throw .malformed }
            case 3: guard byte == 0x50 else { throw .malformed }
            case 4: guard byte == ASCII.slash else { throw .malformed }
            case 5:
                guard ASCII.isDigit(byte) else { throw .malformed }
                guard byte == 0x31 else { throw .versionNotSupported }
            case 6: guard byte == ASCII.dot else { throw .malformed }
            case 7:
                guard ASCII.isDigit(byte) else { throw .malformed }
                head.minorVersion = byte == 0x30 ? 0 : 1
            case 8: guard byte == ASCII.carriageReturn else { throw .malformed }
            default: guard byte == ASCII.lineFeed else { throw .malformed }
            }
            position += 1
        }
        guard position - mark == Self.versionBytes else { return }
        try readForm(bytes, into: &head)
        state = .fieldStart
    }

    private mutating func readFieldStart(_ byte: UInt8) {
        if byte == ASCII.carriageReturn {
            state = .endLineFeed
            position += 1
        } else {
            state = .name
            mark = position
        }
    }

    /// Reads a field name; rejects white space before the colon and at the start of a line (obsolete folding).
    private mutating func readName(_ bytes: Span<UInt8>) throws(HeadError) {
        var index = position
        while index < bytes.count, ASCII.isToken(bytes[index]) { index += 1 }
        position = index
        guard index < bytes.count else { return }
        guard bytes[index] == ASCII.colon, index > mark else { throw .malformed }
        name = mark..<index
        position = index + 1
        state = .beforeValue
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        var index = position
        while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
        position = index
        guard index < bytes.count else { return }
        mark = index
        state = .value
    }

    private mutating func readValue(_ bytes: Span<UInt8>, into head: inout RequestHead) throws(HeadError) {
        var index = position
        while index < bytes.count, ASCII.isFieldValue(bytes[index]) { index += 1 }
        position = index
        guard index < bytes.count else { return }
        guard bytes[index] == ASCII.carriageReturn else { throw .malformed }
        position = index + 1
        while index > mark, ASCII.isSpace(bytes[index - 1]) { index -= 1 }
        guard head.fields.count < limits.fieldCount else { throw .fieldsTooLarge }
        var field = RequestHead.FieldSlice(name: name, value: mark..<index)
        try framing.note(bytes.extracting(name), bytes.extracting(mark..<index), &field)
        head.fields.append(field)
        state = .valueLineFeed
    }
}
