import Ground

extension PublicURL {
    /// The URL of the console.
    ///
    /// Over plain `http` it has the name `localhost` in place of the loopback address, because browsers keep the console's
    /// session for that name only.
    package var consoleURL: String {
        let loopback = "http://127.0.0.1"
        let isLoopback = host == "127.0.0.1" && text.hasPrefix(loopback)
        return (isLoopback ? "http://localhost" + text.dropFirst(loopback.count) : text) + "/console/"
    }

    /// The host's name or address, normalized by ``hostName(in:)``.
    package var host: String {
        let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let whole = rest.prefix { $0 != UInt8(ascii: "/") }
        let end = whole.lastIndex(of: UInt8(ascii: "@")).map { whole.index(after: $0) } ?? whole.startIndex
        return String(decoding: Self.hostName(in: Array(whole[end...])), as: UTF8.self)
    }

    /// Returns the host of an authority without user information: in lower case, without port and without a final dot.
    ///
    /// Browsers' cookies and isolation treat all of these spellings as one site.
    static func hostName(in authority: [UInt8]) -> [UInt8] {
        var name = authority[...]
        let digits = name.reversed().prefix(while: ASCII.isDigit).count
        let colon = name.endIndex - digits - 1
        if colon >= name.startIndex, name[colon] == UInt8(ascii: ":") { name = name[..<colon] }
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        return name.map(ASCII.lowercased)
    }
}
