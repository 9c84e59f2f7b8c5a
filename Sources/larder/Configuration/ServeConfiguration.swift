import API
import Domain
import Ground
import HTTP
import Platform
import Server
import TLS

/// The configuration of `larder serve`: flags override the environment, which overrides defaults.
struct ServeConfiguration {
    static let settings: [Setting] = [
        Setting(
            name: "listen", placeholder: "PLACE[,…]", defaultValue: "127.0.0.1:8080",
            help:
                "where to listen: ADDRESS:PORT, unix:/PATH, or systemd[:NAME] for sockets handed over; with certificates "
                + "TLS is spoken there, unless http:// stands before it"),
        Setting(
            name: "tls-certificate", placeholder: "PATH[,…]", defaultValue: "",
            help: "certificate chains in PEM; the client's indicated name chooses, the first is for all others"),
        Setting(
            name: "tls-key", placeholder: "PATH[,…]", defaultValue: "",
            help: "the private keys of the certificates, in the same order"),
        Setting(
            name: "kernel-tls", placeholder: "auto|off", defaultValue: "auto",
            help: "whether what is sent over TLS is left to the kernel to seal, where it can"),
        Setting(
            name: "hsts-seconds", placeholder: "N", defaultValue: String(HTTPServer.defaultHSTSSeconds),
            help:
                "seconds for which browsers use only TLS for the host, as Strict-Transport-Security says in responses "
                + "over TLS; 0 ends that",
            range: 0...SettingBounds.hstsSeconds),
        Setting(name: "data", placeholder: "DIR", defaultValue: "./data", help: "where everything is kept"),
        Setting(
            name: "key-file", placeholder: "PATH", defaultValue: "",
            help:
                "the key that private keys are sealed with in the data directory: 32 bytes, as they are, in hex or in "
                + "base64, in a file that others cannot read; without it LARDER_KEY holds the key, or systemd's credential "
                + "larder-key; without any they are kept as they are"),
        Setting(
            name: "old-key-file", placeholder: "PATH", defaultValue: "",
            help: "the key before, to seal them with another one: for one start, beside the new one"),
        Setting(
            name: "sign-command", placeholder: "COMMAND", defaultValue: "",
            help:
                "a program by its absolute path, and its arguments, with spaces between; it signs with the keys of which "
                + "the server has the public half alone"),
        Setting(
            name: "public-url", placeholder: "URL", defaultValue: "",
            help: "what the URLs in answers begin with; by default the first address listened on"),
        Setting(
            name: "content-url", placeholder: "URL", defaultValue: "",
            help:
                "where uploaded pages have a host of their own, which serves nothing else; by default they are where "
                + "everything is, in a sandbox"),
        Setting(
            name: "newest-package-at", placeholder: "PACKAGE", defaultValue: "",
            help:
                "the package of the app 'default' whose newest zip is at '/@', where seed 002's client as it was published "
                + "asks for it; the package needs the dialect newest-package"),
        Setting(
            name: "initial-token-file", placeholder: "PATH", defaultValue: "",
            help: "where the first start writes the first token; by default the terminal, or DIR/initial-token"),
        Setting(
            name: "max-upload-bytes", placeholder: "N", defaultValue: String(PackageLimits().uploadBytes),
            help: "bytes of an uploaded zip", range: 1...SettingBounds.bytes),
        Setting(
            name: "max-open-upload-bytes", placeholder: "N", defaultValue: "0",
            help: "bytes of all uploads that are not published yet; 0 for eight times --max-upload-bytes",
            range: 0...SettingBounds.openUploadBytes),
        Setting(
            name: "max-open-upload-bytes-per-token", placeholder: "N", defaultValue: "0",
            help: "the same of one token; 0 for half of all", range: 0...SettingBounds.openUploadBytes),
        Setting(
            name: "max-package-files", placeholder: "N", defaultValue: String(PackageLimits().fileCount),
            help: "files in a package", range: 1...SettingBounds.files),
        Setting(
            name: "max-file-bytes", placeholder: "N", defaultValue: String(PackageLimits().fileBytes),
            help: "bytes of one file, unpacked", range: 1...SettingBounds.bytes),
        Setting(
            name: "max-package-bytes", placeholder: "N", defaultValue: String(PackageLimits().totalBytes),
            help: "bytes of all files, unpacked", range: 1...SettingBounds.bytes),
        Setting(
            name: "max-compression-ratio", placeholder: "N", defaultValue: String(PackageLimits().compressionRatio),
            help: "unpacked bytes per packed byte of a file over 1 MiB", range: 1...SettingBounds.compressionRatio),
        Setting(
            name: "max-reports", placeholder: "N", defaultValue: String(ReportWindow.defaultRows),
            help: "reports that are kept as they came, the newest ones; counts stay", range: 1...SettingBounds.reports),
        Setting(
            name: "devices-seen", placeholder: "N", defaultValue: String(DevicesSeen.defaultLimit),
            help:
                "devices that are remembered for a week, by a digest of their id, to say how many a release is for; 0 for "
                + "none, which forgets those that were",
            range: 0...SettingBounds.devicesSeen),
        Setting(
            name: "prune", placeholder: "on|off", defaultValue: "on",
            help: "whether what may go by the next three is removed every day; 'larder prune' does it at any time"),
        Setting(
            name: "keep-versions", placeholder: "N", defaultValue: "0",
            help: "so many of the newest versions of each package stay; where this and --keep-days are 0, all stay",
            range: 0...SettingBounds.keptVersions),
        Setting(
            name: "keep-days", placeholder: "N", defaultValue: "0",
            help: "versions stay for so many days after they were published", range: 0...SettingBounds.keptDays),
        Setting(
            name: "grace-hours", placeholder: "N", defaultValue: String(RetentionPolicy.defaultGraceHours),
            help: "how long a patch, or a version's archive, stays after the last answer that named it",
            range: RetentionPolicy.minimumGraceHours...SettingBounds.graceHours),
        Setting(
            name: "max-connections", placeholder: "N", defaultValue: String(HTTPServer.defaultConnections),
            help: "connections at a time; past it, the one that has been idle longest is closed for the next",
            range: 1...SettingBounds.connections),
        Setting(
            name: "max-connections-per-address", placeholder: "N",
            defaultValue: String(HTTPServer.defaultConnectionsPerAddress),
            help:
                "connections at a time from one IPv4 address or one /64 of IPv6, and four times as many from one /56; "
                + "trusted proxies have no limit",
            range: 1...SettingBounds.connections),
        Setting(
            name: "operator-requests-per-second", placeholder: "N",
            defaultValue: String(RateLimits().operatorsPerSecond),
            help: "requests to /api/v1 and /metrics from one IPv4 address or one /64 of IPv6, and with one token; four "
                + "times as many at once, 0 for any number",
            range: 0...TokenBucket.Rate.most),
        Setting(
            name: "reports-per-second", placeholder: "N", defaultValue: String(RateLimits().reportsPerSecond),
            help: "requests to /report from one IPv4 address or one /64 of IPv6; ten times as many at once, 0 for any "
                + "number; behind the address of a carrier there are many devices",
            range: 0...TokenBucket.Rate.most),
        Setting(
            name: "trusted-proxies", placeholder: "NETWORK[,…]", defaultValue: "",
            help: "addresses or networks, such as 10.0.0.0/8, whose word on where a request comes from is taken"),
        Setting(
            name: "trusted-proxy-header", placeholder: "NAME",
            defaultValue: TrustedProxies.Field.xForwardedFor.rawValue,
            help: "the field that the proxies set: x-forwarded-for or forwarded"),
        Setting(
            name: "access-log", placeholder: "PATH", defaultValue: "off",
            help: "a line for each answer: off, - for standard error, or a file, opened anew on SIGHUP"),
        Setting(
            name: "drain-seconds", placeholder: "N", defaultValue: String(Deadlines().drain.components.seconds),
            help: "how long a stop waits for requests in flight", range: 1...SettingBounds.drainSeconds),
        Setting(
            name: "takeover-seconds", placeholder: "N", defaultValue: "1",
            help: "how long a start waits for another process to let go of the data directory",
            range: 1...SettingBounds.takeoverSeconds),
    ]

    let values: [(setting: Setting, value: SettingValue)]
    /// The addresses to listen on; at least one.
    let endpoints: [Endpoint]
    /// The certificates; empty if no endpoint uses TLS.
    let certificates: [TLSCertificateFiles]
    let mayKernelSeal: Bool
    let hstsSeconds: Int
    let dataDirectory: String
    /// The source of the sealing key; `nil` if private keys are stored unsealed.
    let keySource: KeySource?
    let oldKeySource: KeySource?
    /// The external signer for keys without a private half on the server.
    let signer: CommandSigner?
    let publicURL: PublicURL?
    let contentURL: PublicURL?
    let newestPackageAt: PackageID?
    let initialTokenFile: String?
    let limits: PackageLimits
    let uploadLimits: UploadLimits
    let reportWindow: ReportWindow
    let devicesSeen: Int
    let retention: RetentionPolicy
    let isPruning: Bool
    let maxConnections: Int
    let maxConnectionsPerAddress: Int
    let rateLimits: RateLimits
    let proxies: TrustedProxies
    let accessLog: AccessLogTarget
    let drainSeconds: Int
    let takeoverSeconds: Int

    /// Parses the settings; throws a usage error that names the faulty setting by the source of its value.
    init(_ flags: [String: String], environment: [String: String]) throws(CommandError) {
        let resolved = ResolvedSettings(flags, environment)
        values = Self.settings.map { ($0, resolved.value(of: $0)) }
        certificates = try resolved.certificates()
        endpoints = try resolved.endpoints(areEncrypted: !certificates.isEmpty)
        guard certificates.isEmpty == !endpoints.contains(where: \.isEncrypted) else {
            throw certificates.isEmpty
                ? .usage("\(resolved.origin("listen")) asks for TLS: name a certificate with --tls-certificate")
                : .usage("no address that \(resolved.origin("listen")) names speaks TLS, so no certificate is of use")
        }
        mayKernelSeal = try resolved.isOn("kernel-tls", "auto")
        hstsSeconds = try resolved.number("hsts-seconds")
        dataDirectory = resolved["data"]
        guard !dataDirectory.isEmpty else { throw resolved.wrong("data", "a directory") }
        keySource = try KeySource(file: resolved["key-file"], environment)
        let oldKey = resolved["old-key-file"]
        oldKeySource = oldKey.isEmpty ? nil : KeySource.file(at: oldKey, environment)
        guard oldKeySource == nil || keySource != nil else {
            throw .usage("\(resolved.origin("old-key-file")) is for changing the key: give the new one with --key-file")
        }
        let command = resolved["sign-command"]
        signer = CommandSigner(command)
        guard command.isEmpty || signer != nil else {
            throw resolved.wrong("sign-command", "the absolute path of a program, and its arguments")
        }
        let url = resolved["public-url"]
        publicURL = PublicURL(url)
        guard url.isEmpty || publicURL != nil else {
            throw resolved.wrong("public-url", "an absolute http:// or https:// URL")
        }
        guard publicURL != nil || endpoints.contains(where: { $0.address != nil }) else {
            throw .usage(
                "\(resolved.origin("listen")) names no address that devices could be sent to: set --public-url")
        }
        let contentText = resolved["content-url"]
        contentURL = PublicURL(contentText)
        guard contentText.isEmpty || contentURL != nil else {
            throw resolved.wrong("content-url", "an absolute http:// or https:// URL")
        }
        if let publicURL { try Self.keepApart(contentURL, publicURL) }
        let newest = resolved["newest-package-at"]
        newestPackageAt = PackageID(newest)
        guard newest.isEmpty || newestPackageAt != nil else {
            throw resolved.wrong("newest-package-at", "a package id: \(PackageID.shape)")
        }
        initialTokenFile = resolved["initial-token-file"].isEmpty ? nil : resolved["initial-token-file"]
        limits = PackageLimits(
            uploadBytes: try resolved.number("max-upload-bytes"), fileCount: try resolved.number("max-package-files"),
            fileBytes: try resolved.number("max-file-bytes"), totalBytes: try resolved.number("max-package-bytes"),
            compressionRatio: try resolved.number("max-compression-ratio"))
        uploadLimits = try resolved.uploadLimits(largest: limits.uploadBytes)
        reportWindow = ReportWindow(rows: try resolved.number("max-reports"))
        devicesSeen = try resolved.number("devices-seen")
        retention = try resolved.retention()
        isPruning = try resolved.isOn("prune")
        maxConnections = try resolved.number("max-connections")
        maxConnectionsPerAddress = try resolved.number("max-connections-per-address")
        rateLimits = RateLimits(
            operatorsPerSecond: try resolved.number("operator-requests-per-second"),
            reportsPerSecond: try resolved.number("reports-per-second"))
        proxies = try resolved.proxies()
        accessLog = AccessLogTarget(resolved["access-log"])
        drainSeconds = try resolved.number("drain-seconds")
        takeoverSeconds = try resolved.number("takeover-seconds")
    }

    /// Reads the current and the previous sealing key.
    func keyProtection(_ environment: [String: String]) throws(CommandError) -> KeyProtection {
        KeyProtection(
            current: try keySource?.sealer(environment), previous: try oldKeySource?.sealer(environment))
    }

    /// Throws a usage error if uploaded pages would share a host with everything else.
    static func keepApart(_ contentURL: PublicURL?, _ publicURL: PublicURL) throws(CommandError) {
        guard let contentURL, contentURL.host == publicURL.host else { return }
        throw .usage(
            "--content-url and --public-url both name the host '\(publicURL.host)': uploaded pages need a host of "
                + "their own, another port does not do; name one, or leave --content-url out")
    }

    /// Every setting with its value and the source of the value.
    var description: String {
        values.map { "\($0.setting.name) = \($0.value.text)  (\($0.value.source.rawValue))" }.joined(separator: "\n")
    }
}
