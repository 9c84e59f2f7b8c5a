import CPostgres

/// The address of a database of PostgreSQL, with the credentials for it.
///
/// The description has no password, and of the other parameters of the URL only the schema.
package struct PostgreSQLAddress: Sendable, CustomStringConvertible {
    /// The URL as libpq reads it; it may contain a password.
    let url: String
    /// The password, unless the URL or libpq's own sources have it.
    let password: String?
    /// The use of the database by other servers beside this one.
    package var access = Access.exclusive
    /// The time that a start waits for servers that exclude it, whose sessions may still be ending.
    package var ownerPatience: Duration = .seconds(5)
    /// Whether the URL contains a password.
    package let hasPassword: Bool
    package let description: String
    /// The number of hosts, which are tried in order.
    let hostCount: Int
    /// The parameters that select each of several hosts alone; empty if there is one.
    private let hosts: [[(name: String, value: String)]]
    /// The parameters that override those of the URL.
    private(set) var overrides: [(name: String, value: String)] = []

    /// The use of a database by several servers.
    package enum Access: Sendable {
        /// One server has the database to itself: its blobs are on its disk.
        case exclusive
        /// Several servers change the database: their blobs are in one bucket.
        case shared
        /// The connection only reads, beside any server.
        case reader
    }

    /// Returns `nil` unless the text is a URL that libpq accepts: `postgresql://[USER[:PASSWORD]@][HOST][:PORT]/NAME`.
    ///
    /// Also returns `nil` if a part other than the password looks like the rest of a password whose special characters
    /// are not percent-encoded, since messages name these parts.
    package init?(_ url: String, password: String? = nil) {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://"), !url.utf8.contains(0),
            let options = Self.options(of: url), Self.arePlausible(options)
        else { return nil }
        self.url = url
        self.password = password
        hasPassword = options["password"] != nil
        description = Self.describe(options)
        let lists = ["host", "hostaddr", "port"].map { (name: $0, values: Self.parts($0, of: options)) }
        hostCount = lists.prefix(2).map(\.values.count).max() ?? 1
        hosts =
            hostCount < 2
            ? []
            : (0..<hostCount).map { index in
                lists.compactMap { list in
                    // One port may be that of all hosts.
                    guard let value = index < list.values.count ? list.values[index] : list.values.first else {
                        return nil
                    }
                    return (list.name, value)
                }
            }
    }

    /// The addresses of each of several hosts alone; empty if there is one.
    var single: [PostgreSQLAddress] {
        hosts.map { host in
            var copy = self
            copy.overrides = host
            return copy
        }
    }

    /// Returns a copy with a password.
    package func with(password: String) -> PostgreSQLAddress? {
        PostgreSQLAddress(url, password: password)
    }

    /// Returns a copy for another use of the database.
    package func with(_ access: Access) -> PostgreSQLAddress {
        var copy = self
        copy.access = access
        return copy
    }

    /// Returns the parameters that the URL sets; libpq's message about a malformed one would contain the password.
    private static func options(of url: String) -> [String: String]? {
        guard let first = PQconninfoParse(url, nil) else { return nil }
        defer { PQconninfoFree(first) }
        var options: [String: String] = [:]
        var option = first
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }

    /// Whether the parts of the description can be what their names say: `user:p/w@host` has the port `p`, for example.
    private static func arePlausible(_ options: [String: String]) -> Bool {
        let hosts = parts("host", of: options) + parts("hostaddr", of: options)
        return parts("port", of: options).allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            && hosts.allSatisfy { !$0.contains("@") && (!$0.contains(":") || isIPv6($0)) }
            && !(options["user"] ?? "").contains { "@:".contains($0) }
            && !(options["dbname"] ?? "").contains { "@:/=".contains($0) }
    }

    /// Whether a host with a colon is an IPv6 address, with a zone or without.
    private static func isIPv6(_ host: String) -> Bool {
        host.prefix { $0 != "%" }.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == ":" || $0 == ".") }
    }

    private static func parts(_ name: String, of options: [String: String]) -> [String] {
        (options[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func describe(_ options: [String: String]) -> String {
        let ports = parts("port", of: options)
        let hosts = parts(options["host"] == nil ? "hostaddr" : "host", of: options).enumerated().map { index, host in
            let port = ports.count > 1 ? (index < ports.count ? ports[index] : "") : ports.first ?? ""
            // The folder of a socket.
            let folder = host.contains("/") ? host.split(separator: "/").map { "%2F\($0)" }.joined() : host
            let name = folder.contains(":") ? "[\(folder)]" : folder
            return port.isEmpty ? name : "\(name):\(port)"
        }
        let user = options["user"].map { "\($0)@" } ?? ""
        let schema = schema(in: options["options"] ?? "").map { " (schema \($0))" } ?? ""
        return "postgresql://\(user)\(hosts.joined(separator: ","))/\(options["dbname"] ?? "")\(schema)"
    }

    /// Returns the search path that the options for the session set; without it two schemas would look the same.
    private static func schema(in options: String) -> String? {
        guard let start = options.ranges(of: "search_path=").last?.upperBound else { return nil }
        let path = options[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_,$".contains($0)) }
        return path.isEmpty ? nil : String(path)
    }
}
