import Domain
import HTTP
import Platform
import Server
import TLS

/// The settings as text, before they are parsed.
struct ResolvedSettings {
    /// The values of the command line, by option.
    let flags: [String: String]
    let environment: [String: String]

    init(_ flags: [String: String], _ environment: [String: String]) {
        self.flags = flags
        self.environment = environment
    }

    func value(of setting: Setting) -> SettingValue {
        if let text = flags[setting.flag] { return SettingValue(text: text, source: .flag) }
        if let text = environment[setting.variable] { return SettingValue(text: text, source: .environment) }
        return SettingValue(text: setting.defaultValue, source: .builtIn)
    }

    private func setting(_ name: String) -> Setting {
        guard let setting = ServeConfiguration.settings.first(where: { $0.name == name }) else {
            preconditionFailure("no setting is called \(name)")
        }
        return setting
    }

    subscript(_ name: String) -> String { value(of: setting(name)).text }

    func number(_ name: String) throws(CommandError) -> Int {
        guard let range = setting(name).range else { preconditionFailure("\(name) is no number") }
        guard let number = Int(self[name]), range.contains(number) else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func isOn(_ name: String, _ on: String = "on") throws(CommandError) -> Bool {
        switch self[name] {
        case on: return true
        case "off": return false
        default: throw wrong(name, "\(on) or off")
        }
    }

    func retention() throws(CommandError) -> RetentionPolicy {
        let (versions, days) = (try number("keep-versions"), try number("keep-days"))
        let policy = RetentionPolicy(
            keepVersions: versions > 0 ? versions : nil, keepDays: days > 0 ? days : nil,
            graceHours: try number("grace-hours"))
        guard let policy else { throw wrong("grace-hours", "at least \(RetentionPolicy.minimumGraceHours)") }
        return policy
    }

    /// Returns the values of a setting that may have several.
    func list(_ name: String) -> [String] {
        self[name].split(separator: ",").map(String.init)
    }

    func endpoints(areEncrypted: Bool) throws(CommandError) -> [Endpoint] {
        let expected =
            "addresses with a port each, such as 127.0.0.1:8080 or https://[::1]:8443, unix:/PATH, systemd or systemd:NAME"
        var endpoints: [Endpoint] = []
        for text in list("listen") {
            guard let endpoint = try? Endpoint(parsing: text, isEncrypted: areEncrypted) else {
                throw wrong("listen", expected)
            }
            endpoints.append(endpoint)
        }
        guard !endpoints.isEmpty else { throw wrong("listen", expected) }
        return endpoints
    }

    func certificates() throws(CommandError) -> [TLSCertificateFiles] {
        let (chains, keys) = (list("tls-certificate"), list("tls-key"))
        guard chains.count == keys.count else {
            throw .usage(
                "\(origin("tls-certificate")) names \(chains.count) files and \(origin("tls-key")) \(keys.count): "
                    + "give one key for each certificate, in the same order")
        }
        return zip(chains, keys).map { TLSCertificateFiles(certificate: $0, key: $1) }
    }

    func networks(_ name: String) throws(CommandError) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for text in list(name) {
            guard let range = AddressRange(text) else {
                throw wrong(name, "addresses and networks, such as 10.0.0.0/8,::1")
            }
            ranges.append(range)
        }
        return ranges
    }

    func proxies() throws(CommandError) -> TrustedProxies {
        let ranges = try networks("trusted-proxies")
        guard let field = TrustedProxies.Field(rawValue: self["trusted-proxy-header"].lowercased()) else {
            let names = TrustedProxies.Field.allCases.map(\.rawValue).joined(separator: " or ")
            throw wrong("trusted-proxy-header", names)
        }
        return TrustedProxies(ranges, field: field)
    }

    /// Returns the limits; throws if the largest upload could never fit.
    func uploadLimits(largest: Int) throws(CommandError) -> UploadLimits {
        func bytes(_ name: String) throws(CommandError) -> Int? {
            let count = try number(name)
            guard count == 0 || count >= largest else {
                throw wrong(name, "0, or at least --max-upload-bytes (\(largest))")
            }
            return count == 0 ? nil : count
        }
        return UploadLimits(
            uploadBytes: largest, totalBytes: try bytes("max-open-upload-bytes"),
            bytesOfToken: try bytes("max-open-upload-bytes-per-token"))
    }

    /// Returns the name of a setting in the source of its value, for error messages.
    func origin(_ name: String) -> String {
        let setting = setting(name)
        return value(of: setting).source == .environment ? setting.variable : setting.flag
    }

    func wrong(_ name: String, _ expected: String) -> CommandError {
        .usage("\(origin(name)) must be \(expected); it is '\(self[name])'")
    }
}
