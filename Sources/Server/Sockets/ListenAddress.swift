import Glibc

/// An address and a port to listen on.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric IPv4 or IPv6 address; empty for all addresses of the machine.
    package let host: String
    /// The port; zero lets the system choose one.
    package let port: UInt16

    package init(host: String, port: UInt16) throws(ServerError) {
        self.host = host == "localhost" ? "127.0.0.1" : host
        self.port = port
        guard self.host.isEmpty || isIPv6 || isIPv4 else { throw .address("\(host):\(port)") }
    }

    /// Reads `127.0.0.1:8080`, `localhost:8080`, `[::1]:0` or `:8080`.
    package init(parsing text: String) throws(ServerError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .address(text)
        }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard isBracketed == host.contains(":") else { throw .address(text) }
        do {
            try self.init(host: String(host), port: port)
        } catch {
            throw .address(text)
        }
    }

    /// Whether this stands for all addresses of the machine, and thus for none that a client could use.
    package var isWildcard: Bool { ["", "0.0.0.0", "::"].contains(host) }

    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var isIPv6: Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, host, &address) == 1
    }

    private var isIPv4: Bool {
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1
    }
}
