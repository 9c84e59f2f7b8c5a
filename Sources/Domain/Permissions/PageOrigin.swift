import Ground

/// The origin of pages in a single normalized form: scheme, host and port (decision 0028).
///
/// The scheme is `http` or `https`; scheme and host are in lower case, and the scheme's default port is omitted. Hosts
/// that browsers would rewrite are rejected, so that equal texts are equal origins: non-ASCII hosts, addresses other
/// than four decimal numbers, names with a final dot. IPv6 addresses are not supported.
package struct PageOrigin: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The limit on the bytes of a host name (RFC 1035 §2.3.4).
    private static let maximumHostLength = 253
    private static let maximumLabelLength = 63

    /// Parses an origin; throws if anything follows it.
    package init(_ text: String) throws(PageFault) {
        let (origin, rest) = try Self.read(text)
        guard rest.isEmpty else { throw .notOnlyOrigin }
        self = origin
    }

    private init(known text: String) { self.text = text }

    package static func < (left: PageOrigin, right: PageOrigin) -> Bool { left.text < right.text }

    package var description: String { text }

    /// Parses the origin of a URL; returns it and the rest, which begins with `/`, `?` or `#`.
    static func read(_ url: String) throws(PageFault) -> (origin: PageOrigin, rest: ArraySlice<UInt8>) {
        let bytes = Array(url.utf8)
        guard bytes.count <= PageURL.maximumLength else { throw .tooLong }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notASCII }
        guard let scheme = Scheme.allCases.first(where: { $0.begins(bytes) }) else { throw .scheme }
        let rest = bytes.dropFirst(scheme.start.utf8.count)
        let end = rest.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userinfo }
        let colon = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        let host = String(decoding: authority[..<colon].map(ASCII.lowercased), as: UTF8.self)
        guard isHost(host) else { throw .host }
        let port = try port(authority[colon...])
        let suffix = port.flatMap { $0 == scheme.port ? nil : ":\($0)" } ?? ""
        return (PageOrigin(known: scheme.start + host + suffix), rest[end...])
    }

    private enum Scheme: CaseIterable {
        case https, http

        var start: String {
            switch self {
            case .https: "https://"
            case .http: "http://"
            }
        }

        var port: UInt16 {
            switch self {
            case .https: 443
            case .http: 80
            }
        }

        func begins(_ bytes: [UInt8]) -> Bool {
            bytes.prefix(start.utf8.count).map(ASCII.lowercased).elementsEqual(start.utf8)
        }
    }

    private static func isHost(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= maximumHostLength, labels.allSatisfy(isLabel), let last = labels.last else {
            return false
        }
        return isNumeric(last) ? isAddress(labels) : true
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...maximumLabelLength).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_".utf8.contains($0) }
    }

    /// Returns whether browsers treat a host with this last label as an address (URL Standard, "ends in a number").
    private static func isNumeric(_ label: Substring) -> Bool {
        label.utf8.allSatisfy(ASCII.isDigit)
            || label.hasPrefix("0x") && label.utf8.dropFirst(2).allSatisfy(ASCII.isHexDigit)
    }

    private static func isAddress(_ numbers: [Substring]) -> Bool {
        numbers.count == 4
            && numbers.allSatisfy { number in UInt8(number).map { String($0) == number } ?? false }
    }

    /// - Parameter text: Empty, or a colon and a number.
    private static func port(_ text: ArraySlice<UInt8>) throws(PageFault) -> UInt16? {
        guard !text.isEmpty else { return nil }
        let digits = text.dropFirst()
        guard (1...5).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw .port }
        return port
    }
}
