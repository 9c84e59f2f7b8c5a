import Domain
import Ground

/// A scanner of texts that have the shape of secret keys; it returns their kinds, never the keys.
struct SecretScanner {
    private var scanner: ByteScanner

    init(_ bytes: [UInt8]) { scanner = ByteScanner(bytes) }

    /// Returns the kinds of keys that were found.
    mutating func scan() -> Set<Kind> {
        var found: Set<Kind> = []
        var last: UInt8 = 0
        while let byte = scanner.current {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "A"), UInt8(ascii: "g"), UInt8(ascii: "x"):
                if let kind = kind(after: last) { found.insert(kind) }
            default: break
            }
            last = byte
            scanner.skip()
        }
        return found
    }

    enum Kind: String, CaseIterable {
        case privateKey = "a private key"
        case aws = "an access key of AWS"
        case gitHub = "a token of GitHub"
        case slack = "a token of Slack"
        case google = "an API key of Google"
    }

    private func kind(after last: UInt8) -> Kind? {
        if scanner.isAt("-----BEGIN ") { return isPrivateKey ? .privateKey : nil }
        guard !ASCII.isAlphanumeric(last), last != UInt8(ascii: "_") else { return nil }
        if scanner.isAt("AKIA") { return isAWS ? .aws : nil }
        if scanner.isAt("AIza") { return run(from: 4, upTo: 36, Self.isBase64URL) == 35 ? .google : nil }
        if scanner.isAt("github_pat_") { return run(from: 11, upTo: 22, Self.isWord) == 22 ? .gitHub : nil }
        if scanner.isAt("gh"), let letter = scanner.peek(2), Self.gitHubLetters.utf8.contains(letter) {
            return scanner.peek(3) == UInt8(ascii: "_") && run(from: 4, upTo: 37, ASCII.isAlphanumeric) == 36
                ? .gitHub : nil
        }
        return scanner.isAt("xox") && isSlack ? .slack : nil
    }

    /// Returns the number of consecutive bytes from an offset that satisfy the condition, up to a limit.
    private func run(from offset: Int, upTo limit: Int, _ isWanted: (UInt8) -> Bool) -> Int {
        var count = 0
        while count < limit, let byte = scanner.peek(offset + count), isWanted(byte) { count += 1 }
        return count
    }

    /// Whether an AWS key id follows: 16 capitals and digits, except the example in AWS's documentation.
    private var isAWS: Bool {
        guard run(from: 4, upTo: 16, { ASCII.isDigit($0) || ASCII.isUpper($0) }) == 16 else { return false }
        guard scanner.peek(20).map(ASCII.isAlphanumeric) != true else { return false }
        var tail = scanner
        tail.skip(13)
        return !tail.isAt("EXAMPLE")
    }

    private var isSlack: Bool {
        guard let letter = scanner.peek(3), Self.slackLetters.utf8.contains(letter),
            scanner.peek(4) == UInt8(ascii: "-")
        else { return false }
        var digits = 0
        return run(from: 5, upTo: 12) { byte in
            digits += ASCII.isDigit(byte) ? 1 : 0
            return ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-")
        } == 12 && digits >= 6
    }

    /// Whether a PEM (RFC 7468) follows that contains bytes of a key: libraries contain only the lines around one.
    private var isPrivateKey: Bool {
        var rest = scanner
        rest.skip(11)
        let label = rest.take { $0 == 0x20 || ASCII.isAlphanumeric($0) }
        guard label.count <= 32,
            rest.bytes[label].ends(with: "PRIVATE KEY") || rest.bytes[label].ends(with: "PRIVATE KEY BLOCK"),
            rest.isAt("-----")
        else { return false }
        rest.skip(5)
        for _ in 0..<8 {
            rest.skipBlanks()
            // The escaped line feed of a string in a script or JSON.
            if rest.isAt("\\n") || rest.isAt("\\r") { rest.skip(2) }
        }
        if rest.isAt("Proc-Type:") || rest.isAt("Version:") || rest.isAt("Comment:") { return true }
        var count = 0
        while count < 40, let byte = rest.peek(count), ASCII.isAlphanumeric(byte) || byte == 0x2B || byte == 0x2F {
            count += 1
        }
        return count == 40
    }

    private static func isWord(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") }
    private static func isBase64URL(_ byte: UInt8) -> Bool { isWord(byte) || byte == UInt8(ascii: "-") }
    private static let gitHubLetters = "pousr"
    private static let slackLetters = "abeprs"
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with word: String) -> Bool {
        suffix(word.utf8.count).elementsEqual(word.utf8)
    }
}
