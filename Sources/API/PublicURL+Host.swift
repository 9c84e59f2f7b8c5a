extension PublicURL {
    /// Host and port as they stand in the URL, without user information.
    private var authority: Substring {
        let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let whole = rest.prefix { $0 != UInt8(ascii: "/") }
        let end = whole.lastIndex(of: UInt8(ascii: "@")).map { whole.index(after: $0) } ?? whole.startIndex
        return Substring(whole[end...])
    }

    /// The name or address of the host, in lower case, without the port.
    package var host: String {
        let authority = authority.lowercased()
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            authority[colon...].utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        else { return authority }
        return String(authority[..<colon])
    }

    /// What `Host` may say in requests to this URL, in lower case: the scheme's own port can be left out.
    package var hostFields: [String] {
        let port = text.utf8.starts(with: "https:".utf8) ? ":443" : ":80"
        let authority = authority.lowercased()
        if authority.hasSuffix(port) { return [String(authority.dropLast(port.count)), authority] }
        return authority == host ? [authority, authority + port] : [authority]
    }
}
