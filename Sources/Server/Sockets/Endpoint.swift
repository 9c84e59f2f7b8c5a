/// Where a server listens, and whether TLS is spoken there.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package let address: ListenAddress
    package let isEncrypted: Bool

    package init(_ address: ListenAddress, isEncrypted: Bool = false) {
        self.address = address
        self.isEncrypted = isEncrypted
    }

    /// Reads an address as ``ListenAddress`` does, with `http://` or `https://` before it; without either,
    /// `isEncrypted` says what is meant.
    package init(parsing text: String, isEncrypted: Bool) throws(ServerError) {
        for (scheme, isEncrypted) in [("http://", false), ("https://", true)] where text.hasPrefix(scheme) {
            self.init(
                try ListenAddress(parsing: String(text.dropFirst(scheme.count))), isEncrypted: isEncrypted)
            return
        }
        self.init(try ListenAddress(parsing: text), isEncrypted: isEncrypted)
    }

    package var description: String { "\(isEncrypted ? "https" : "http")://\(address)" }
}
