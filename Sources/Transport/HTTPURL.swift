import Glibc

/// An `http://` or `https://` URL: the server to connect to, and the target to request.
package struct HTTPURL: Sendable, Equatable, CustomStringConvertible {
    /// The name or address; an IPv6 address without its brackets.
    package let host: String
    package let port: UInt16
    /// The percent-encoded path and query, beginning with `/`.
    package let target: String
    /// Whether the scheme is `https`.
    package let isSecure: Bool

    /// Parses an absolute URL in ASCII.
    ///
    /// Throws `unsupportedScheme` for schemes other than `http` and `https`, and `invalidURL` for an invalid URL or one
    /// with user, password or fragment.
    package init(_ text: String) throws(TransportError) {
        guard let colon = text.range(of: "://") else { throw .invalidURL(text) }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
        let rest = text[colon.upperBound...]
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .invalidURL(text)
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let isSecure = scheme == "https"
        guard let (host, port) = Self.authority(rest[..<end], orPort: isSecure ? 443 : 80) else {
            throw .invalidURL(text)
        }
        let target = rest[end...]
        self.init(
            host: host, port: port, target: target.hasPrefix("/") ? String(target) : "/\(target)", isSecure: isSecure)
    }

    private init(host: String, port: UInt16, target: String, isSecure: Bool) {
        self.host = host
        self.port = port
        self.target = target
        self.isSecure = isSecure
    }

    /// Returns the URL with a path appended to its own; drops final slashes and the query of the base.
    package func appending(_ path: String) -> HTTPURL {
        var own = target.prefix { $0 != "?" }
        while own.hasSuffix("/") { own.removeLast() }
        return HTTPURL(host: host, port: port, target: own + path, isSecure: isSecure)
    }

    /// Whether the host is the name `localhost` or a loopback address in any notation.
    var isLoopback: Bool {
        let name = host.hasSuffix(".") ? host.dropLast().lowercased() : host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        var short = in_addr()
        if inet_aton(name, &short) != 0 { return UInt32(bigEndian: short.s_addr) >> 24 == 127 }
        var long = in6_addr()
        guard inet_pton(AF_INET6, name, &long) == 1 else { return false }
        return withUnsafeBytes(of: &long) { bytes in
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return isMapped && bytes[12] == 127 || bytes.prefix(15).allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }

    /// The value of the field `Host` (RFC 9110 §7.2).
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    package var description: String { "\(isSecure ? "https" : "http")://\(authority)\(target)" }

    private static func authority(_ text: Substring, orPort byDefault: UInt16) -> (host: String, port: UInt16)? {
        guard !text.contains("@") else { return nil }
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<bracket]
            guard host.contains(":") else { return nil }
            return port(text[text.index(after: bracket)...], or: byDefault).map { (String(host), $0) }
        }
        let end = text.firstIndex(of: ":") ?? text.endIndex
        // libcurl decodes a percent-encoded name, which could then be another host than the one examined here.
        guard end > text.startIndex, !text[..<end].contains("%") else { return nil }
        return port(text[end...], or: byDefault).map { (String(text[..<end]), $0) }
    }

    /// Parses the port after a colon; returns the default for empty text.
    private static func port(_ text: Substring, or byDefault: UInt16) -> UInt16? {
        guard !text.isEmpty else { return byDefault }
        guard text.hasPrefix(":"), let port = UInt16(text.dropFirst()), port > 0 else { return nil }
        return port
    }
}

extension String {
    /// Returns the range of the first occurrence of an ASCII text.
    fileprivate func range(of text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
