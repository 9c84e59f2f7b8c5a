import Domain
import Ground

extension DeltaManifest {
    /// The lines of docs/formats/delta.md, each followed by LF.
    var text: [UInt8] {
        var lines = runs.map { "\($0.isKept ? "k" : "d") \($0.count)" }
        if !prefix.isEmpty {
            let ranges = prefix.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            lines.append("p " + ranges.joined(separator: " "))
        }
        lines += entries.map(Self.line)
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    private static func line(_ entry: Entry) -> String {
        let source = entry.source.map(String.init) ?? "-"
        let content =
            switch entry.content {
            case .copied: "c \(source)"
            case .mapped: "m \(source)"
            case .framed(let size, let length): "f \(source) \(size) \(length)"
            case .common(let size): "s \(source) \(size)"
            }
        return switch entry.destination {
        case .same: content
        case .renamed(let offset, let token): "\(content) \(offset) \(token)"
        case .literal(let path): "\(content) /\(path)"
        }
    }

    /// Parses the lines; throws `badPackage` for a line that the format does not have.
    init(parsing text: [UInt8]) throws(PlatformError) {
        var rest = text[...]
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")),
                let line = String(validating: rest[..<end], as: UTF8.self), add(line)
            else { throw DeltaRefusal.badManifest.error }
            rest = rest[(end + 1)...]
        }
    }

    private mutating func add(_ line: String) -> Bool {
        var fields = DeltaFields(line)
        switch fields.word() {
        case "k": return addRun(isKept: true, &fields)
        case "d": return addRun(isKept: false, &fields)
        case "p": return addPrefix(&fields)
        case "c": return addEntry(&fields) { _ in .copied }
        case "m": return addEntry(&fields) { _ in .mapped }
        case "s": return addEntry(&fields) { fields in fields.number().map { .common(size: $0) } }
        case "f":
            return addEntry(&fields) { fields in
                guard let size = fields.number(), let length = fields.number() else { return nil }
                return .framed(size: size, length: length)
            }
        default: return false
        }
    }

    private mutating func addRun(isKept: Bool, _ fields: inout DeltaFields) -> Bool {
        guard prefix.isEmpty, entries.isEmpty, let count = fields.number(), count > 0, fields.isAtEnd else {
            return false
        }
        runs.append(Run(isKept: isKept, count: count))
        return true
    }

    private mutating func addPrefix(_ fields: inout DeltaFields) -> Bool {
        guard prefix.isEmpty, entries.isEmpty else { return false }
        while !fields.isAtEnd {
            let bounds = fields.word().utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            let numbers = bounds.compactMap(DeltaFields.number)
            guard (1...2).contains(bounds.count), numbers.count == bounds.count, let first = numbers.first,
                let last = numbers.last, first <= last
            else { return false }
            prefix.append(first...last)
        }
        return !prefix.isEmpty
    }

    private mutating func addEntry(
        _ fields: inout DeltaFields, _ content: (inout DeltaFields) -> Content?
    ) -> Bool {
        let name = fields.word()
        let source = DeltaFields.number(name.utf8[...])
        guard source != nil || name == "-", let content = content(&fields) else { return false }
        guard let destination = destination(&fields), source != nil || content.hasNoSource,
            source != nil || destination.isLiteral
        else {
            return false
        }
        entries.append(Entry(source: source, destination: destination, content: content))
        return true
    }

    private func destination(_ fields: inout DeltaFields) -> Destination? {
        if fields.isAtEnd { return .same }
        if let path = fields.path() {
            return (try? TreePath(path)).flatMap { $0.text.utf8.elementsEqual(path.utf8) ? .literal($0) : nil }
        }
        let offset = fields.number()
        let token = fields.word()
        guard let offset, fields.isAtEnd, TokenMap.isToken(token.utf8) else { return nil }
        return .renamed(offset: offset, token: token)
    }
}

extension DeltaManifest.Content {
    fileprivate var hasNoSource: Bool {
        switch self {
        case .copied, .mapped: false
        case .framed, .common: true
        }
    }
}

extension DeltaManifest.Destination {
    fileprivate var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }
}

/// A parser of a line's fields, which are separated by one space.
private struct DeltaFields {
    private var rest: Substring.UTF8View

    init(_ line: String) { rest = line[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Removes and returns the bytes up to the next space; empty at the end.
    mutating func word() -> String {
        let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
        let next = end == rest.endIndex ? end : rest.index(after: end)
        // A trailing space stays, so that the line is not at its end.
        defer { rest = next == rest.endIndex ? rest[end...] : rest[next...] }
        return String(Substring(rest[..<end]))
    }

    mutating func number() -> Int? { Self.number(word().utf8[...]) }

    /// Removes the rest and returns it without its leading slash; `nil` if it has none.
    mutating func path() -> String? {
        guard rest.first == UInt8(ascii: "/") else { return nil }
        defer { rest = rest[rest.endIndex...] }
        return String(Substring(rest.dropFirst()))
    }

    /// Parses a number of at most twelve digits, without a sign or leading zeros.
    static func number(_ text: Substring.UTF8View) -> Int? {
        guard (1...12).contains(text.count), text.allSatisfy(ASCII.isDigit),
            text.count == 1 || text.first != 0x30
        else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
