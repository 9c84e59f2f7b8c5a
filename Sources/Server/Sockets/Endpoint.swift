/// An address that a server listens on, with or without TLS.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of listening sockets.
    package enum Location: Hashable, Sendable {
        case address(ListenAddress)
        /// A unix socket, by its absolute path.
        case unix(path: String)
        /// The sockets with this name among those that the process was started with (``HandedSockets``); all without a
        /// name.
        case handedOver(name: String?)
    }

    package let location: Location
    package let isEncrypted: Bool

    package init(_ location: Location, isEncrypted: Bool = false) {
        self.location = location
        self.isEncrypted = isEncrypted
    }

    package init(_ address: ListenAddress, isEncrypted: Bool = false) {
        self.init(.address(address), isEncrypted: isEncrypted)
    }

    /// Reads an address as ``ListenAddress`` does, `unix:` and a path, `systemd`, or `systemd:` and a name.
    ///
    /// The prefix `http://` or `https://` determines `isEncrypted`; without a prefix the parameter does.
    package init(parsing text: String, isEncrypted: Bool) throws(ServerError) {
        for (scheme, isEncrypted) in [("http://", false), ("https://", true)] where text.hasPrefix(scheme) {
            self.init(try Location(parsing: String(text.dropFirst(scheme.count))), isEncrypted: isEncrypted)
            return
        }
        self.init(try Location(parsing: text), isEncrypted: isEncrypted)
    }

    /// The TCP address; `nil` for other endpoints.
    package var address: ListenAddress? {
        if case .address(let address) = location { address } else { nil }
    }

    package var description: String { "\(isEncrypted ? "https" : "http")://\(location)" }
}

extension Endpoint.Location: CustomStringConvertible {
    private static let unix = "unix:"
    private static let systemd = "systemd"

    fileprivate init(parsing text: String) throws(ServerError) {
        if text.hasPrefix(Self.unix) {
            let path = String(text.dropFirst(Self.unix.count))
            guard UnixSocketFile.isPath(path) else { throw .address(text) }
            self = .unix(path: path)
        } else if text == Self.systemd {
            self = .handedOver(name: nil)
        } else if text.hasPrefix(Self.systemd + ":") {
            let name = String(text.dropFirst(Self.systemd.count + 1))
            guard !name.isEmpty else { throw .address(text) }
            self = .handedOver(name: name)
        } else {
            self = .address(try ListenAddress(parsing: text))
        }
    }

    package var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .unix(let path): Self.unix + path
        case .handedOver(nil): Self.systemd
        case .handedOver(let name?): "\(Self.systemd):\(name)"
        }
    }
}
