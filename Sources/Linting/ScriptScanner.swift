import Domain

/// A scanner of the modules that a script imports by literal names, and of its service worker registrations.
///
/// It distinguishes code from comments, strings, templates and regular expressions (ECMA-262 §12). A regular expression
/// is recognized by the token before the slash: if that fails, findings up to the end of the line are missed.
struct ScriptScanner {
    private var scanner: ByteScanner
    /// Whether a slash at the position would begin a regular expression.
    private var isValueExpected = true
    private var last: UInt8 = 0
    /// The number of open braces in the `${` of each enclosing template.
    private var templates: [Int] = []

    /// The limit on nested templates.
    static let maximumDepth = 100

    init(_ bytes: [UInt8], in range: Range<Int>? = nil) { scanner = ByteScanner(bytes, in: range) }

    mutating func scan(into facts: inout FileFacts) {
        while let byte = scanner.current, templates.count <= Self.maximumDepth {
            if byte.isWordByte {
                word(into: &facts)
            } else if byte.isBlank {
                scanner.skip()
                continue
            } else if byte == UInt8(ascii: "/") {
                if comment(into: &facts) { continue }
                slash()
            } else {
                punctuation(byte)
            }
            last = byte
        }
    }

    // MARK: Comments, strings and templates

    /// Skips a comment; returns whether there was one.
    private mutating func comment(into facts: inout FileFacts) -> Bool {
        switch scanner.peek(1) {
        case UInt8(ascii: "/"):
            scanner.skip(2)
            facts.addComment(scanner.skip(to: UInt8(ascii: "\n")), of: scanner.bytes)
        case UInt8(ascii: "*"):
            scanner.skip(2)
            facts.addComment(scanner.skip(past: "*/"), of: scanner.bytes)
        default: return false
        }
        return true
    }

    private mutating func slash() {
        scanner.skip()
        guard isValueExpected else {
            isValueExpected = true
            return
        }
        var isInClass = false
        while let byte = scanner.current, byte != UInt8(ascii: "\n") {
            scanner.skip(byte == UInt8(ascii: "\\") ? 2 : 1)
            switch byte {
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                isValueExpected = false
                return
            default: break
            }
        }
    }

    /// Skips the text of a template, up to its last backtick or past the next `${`.
    private mutating func template() {
        while let byte = scanner.current {
            switch byte {
            case UInt8(ascii: "\\"): scanner.skip(2)
            case UInt8(ascii: "`"):
                scanner.skip()
                isValueExpected = false
                return
            case UInt8(ascii: "$") where scanner.peek(1) == UInt8(ascii: "{"):
                scanner.skip(2)
                templates.append(0)
                isValueExpected = true
                return
            default: scanner.skip()
            }
        }
    }

    private mutating func punctuation(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            _ = scanner.takeQuoted()
            isValueExpected = false
        case UInt8(ascii: "`"):
            scanner.skip()
            template()
        case UInt8(ascii: "{"):
            scanner.skip()
            if let open = templates.popLast() { templates.append(open + 1) }
            isValueExpected = true
        case UInt8(ascii: "}"):
            scanner.skip()
            isValueExpected = true
            guard let open = templates.popLast() else { return }
            if open == 0 { template() } else { templates.append(open - 1) }
        case UInt8(ascii: ")"), UInt8(ascii: "]"):
            scanner.skip()
            isValueExpected = false
        default:
            scanner.skip()
            isValueExpected = true
        }
    }

    // MARK: Words

    private mutating func word(into facts: inout FileFacts) {
        let isMember = last == UInt8(ascii: ".")
        let first = scanner.current
        if first == UInt8(ascii: "n"), scanner.isAt(Self.registration) { facts.registersServiceWorker = true }
        let range = scanner.take(while: \.isWordByte)
        isValueExpected = false
        guard !isMember else { return }
        switch first {
        case UInt8(ascii: "i") where isWord(range, "import"): imported(into: &facts)
        case UInt8(ascii: "e") where isWord(range, "export"): exported(into: &facts)
        default: isValueExpected = range.count <= 10 && Self.beforeValues.contains { isWord(range, $0) }
        }
    }

    /// Scans the text after `import`: a call, a specifier, or a clause and a specifier (ECMA-262 §16.2.2).
    private mutating func imported(into facts: inout FileFacts) {
        skipBlanksAndComments()
        if scanner.current == UInt8(ascii: "(") {
            scanner.skip()
            skipBlanksAndComments()
            guard scanner.current?.isQuote == true else { return isValueExpected = true }
            let name = scanner.takeQuoted()
            skipBlanksAndComments()
            // If more follows the literal, the specifier is an expression.
            guard scanner.current == UInt8(ascii: ")") || scanner.current == UInt8(ascii: ",") else { return }
            facts.add(.module, scanner.text(name))
        } else if scanner.current?.isQuote == true {
            facts.add(.module, scanner.text(scanner.takeQuoted()))
        } else {
            clause(into: &facts)
        }
    }

    private mutating func exported(into facts: inout FileFacts) {
        skipBlanksAndComments()
        if scanner.current == UInt8(ascii: "{") || scanner.current == UInt8(ascii: "*") { clause(into: &facts) }
    }

    /// Scans a clause such as `{ a as b, c }`, `* as d` or `e`, and the `from "…"` after it.
    private mutating func clause(into facts: inout FileFacts) {
        while let byte = scanner.current {
            if byte.isWordByte {
                let range = scanner.take(while: \.isWordByte)
                guard isWord(range, "from") else { continue }
                skipBlanksAndComments()
                guard scanner.current?.isQuote == true else { continue }
                return facts.add(.module, scanner.text(scanner.takeQuoted()))
            }
            guard byte.isBlank || Self.ofClauses.utf8.contains(byte) else {
                isValueExpected = true
                return
            }
            scanner.skip()
        }
    }

    private mutating func skipBlanksAndComments() {
        scanner.skipBlanks()
        while scanner.isAt("/*") {
            scanner.skip(past: "*/")
            scanner.skipBlanks()
        }
    }

    private func isWord(_ range: Range<Int>, _ word: String) -> Bool {
        range.count == word.utf8.count && scanner.bytes[range].elementsEqual(word.utf8)
    }

    private static let registration = "navigator.serviceWorker.register"
    private static let ofClauses = "{},*"
    /// The words after which a slash begins a regular expression.
    private static let beforeValues: [String] = [
        "return", "typeof", "case", "in", "of", "delete", "void", "do", "else", "throw", "new", "instanceof", "await",
        "yield",
    ]
}
