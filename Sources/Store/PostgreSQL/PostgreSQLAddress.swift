import CPostgres

/// The address of a database of PostgreSQL, with the credentials for it.
///
/// The description has neither a password nor other parameters of the URL.
package struct PostgreSQLAddress: Sendable, CustomStringConvertible {
    /// The URL as libpq reads it; it may contain a password.
    let url: String
    /// The password, unless the URL or libpq's own sources have it.
    let password: String?
    /// Whether a connection is refused while another one owns the database.
    package var isOwner = true
    /// The time that a start waits for the previous owner, whose session may still be ending.
    package var ownerPatience: Duration = .seconds(5)
    /// Whether the URL contains a password.
    package let hasPassword: Bool
    package let description: String
    /// The number of hosts, which are tried in order.
    let hostCount: Int

    /// Returns `nil` unless the text is a URL that libpq accepts: `postgresql://[USER[:PASSWORD]@][HOST][:PORT]/NAME`.
    package init?(_ url: String, password: String? = nil) {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://"), !url.utf8.contains(0),
            let options = Self.options(of: url)
        else { return nil }
        self.url = url
        self.password = password
        hasPassword = options["password"] != nil
        description = Self.describe(options)
        hostCount = Self.parts("host", of: options).count
    }

    /// Returns a copy with a password.
    package func with(password: String) -> PostgreSQLAddress? {
        PostgreSQLAddress(url, password: password)
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

    private static func parts(_ name: String, of options: [String: String]) -> [String] {
        (options[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func describe(_ options: [String: String]) -> String {
        let ports = parts("port", of: options)
        let hosts = parts("host", of: options).enumerated().map { index, host in
            let port = ports.count > 1 ? (index < ports.count ? ports[index] : "") : ports.first ?? ""
            // The folder of a socket.
            let name = host.contains("/") ? host.split(separator: "/").map { "%2F\($0)" }.joined() : host
            return port.isEmpty ? name : "\(name):\(port)"
        }
        let user = options["user"].map { "\($0)@" } ?? ""
        return "postgresql://\(user)\(hosts.joined(separator: ","))/\(options["dbname"] ?? "")"
    }
}
