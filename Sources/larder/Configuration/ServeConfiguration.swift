import API
import Domain
import Ground
import HTTP
import Platform
import Server
import Store
import TLS

/// The configuration of `larder serve`: flags override the environment, which overrides defaults.
struct ServeConfiguration {
    static let settings = ownSettings + BucketConfiguration.bucketSettings + BucketConfiguration.servingSettings

    private static let ownSettings: [Setting] = [
        Setting(
            name: "listen", placeholder: "ADDRESS[,…]", defaultValue: "127.0.0.1:8080",
            help:
                "the addresses to listen on: HOST:PORT, unix:/PATH, or systemd[:NAME] for sockets passed on by systemd; "
                + "with certificates they use TLS, unless http:// precedes the address"),
        Setting(
            name: "tls-certificate", placeholder: "PATH[,…]", defaultValue: "",
            help:
                "files of certificate chains in PEM; the server name that a client indicates selects one, and the first "
                + "is for all other clients"),
        Setting(
            name: "tls-key", placeholder: "PATH[,…]", defaultValue: "",
            help: "files of the certificates' private keys in PEM, in the order of --tls-certificate"),
        Setting(
            name: "kernel-tls", placeholder: "auto|off", defaultValue: "auto",
            help: "whether the kernel encrypts TLS records where it can (kTLS)"),
        Setting(
            name: "hsts-seconds", placeholder: "N", defaultValue: String(HTTPServer.defaultHSTSSeconds),
            help:
                "the seconds for which browsers use only TLS for the host: max-age of Strict-Transport-Security in "
                + "responses over TLS; 0 makes browsers forget the rule",
            range: 0...SettingBounds.hstsSeconds),
        Setting(name: "data", placeholder: "DIR", defaultValue: "./data", help: "the data directory"),
        Setting(name: "database", placeholder: "URL", defaultValue: "", help: DatabaseSource.urlHelp),
        Setting(
            name: "database-password-file", placeholder: "PATH", defaultValue: "", help: DatabaseSource.passwordHelp),
        Setting(
            name: "key-file", placeholder: "PATH", defaultValue: "",
            help:
                "a file with the key that encrypts private keys in the database: 32 random bytes, raw, in hex or in "
                + "base64; only its owner may have access to the file; by default the key is the value of LARDER_KEY or "
                + "systemd's credential larder-key; without any of them private keys are stored in plain form"),
        Setting(
            name: "old-key-file", placeholder: "PATH", defaultValue: "",
            help: "the file of the previous key, to change the key: give both files for one start"),
        Setting(
            name: "sign-command", placeholder: "COMMAND", defaultValue: "",
            help:
                "the command that signs with keys whose private half is outside the server: the absolute path of a "
                + "program and its arguments, separated by spaces"),
        Setting(
            name: "public-url", placeholder: "URL", defaultValue: "",
            help: "the URL that devices reach the server under; URLs in responses begin with it (default: the first "
                + "address in --listen)"),
        Setting(
            name: "content-url", placeholder: "URL", defaultValue: "",
            help:
                "the URL of a separate host that serves only uploaded files; by default they are served under "
                + "--public-url, in a sandbox"),
        Setting(
            name: "cdn-url", placeholder: "URL", defaultValue: "",
            help:
                "the URL of a content delivery network that serves this server's /blobs/ or the objects of the bucket; "
                + "the URLs of archives and files for devices begin with it (default: --public-url)"),
        Setting(
            name: "newest-package-at", placeholder: "PACKAGE", defaultValue: "",
            help:
                "the package of the app 'default' whose newest zip is served at '/@', for clients of the protocol 'seed 002' "
                + "as published (docs/clients.md O5); the package needs the dialect newest-package (default: none)"),
        Setting(
            name: "initial-token-file", placeholder: "PATH", defaultValue: "",
            help:
                "the file to which the first start writes the first token (default: the terminal; without a terminal, "
                + "initial-token in the data directory)"),
        Setting(
            name: "max-upload-bytes", placeholder: "N", defaultValue: String(PackageLimits().uploadBytes),
            help: "the maximum bytes of an uploaded zip", range: 1...SettingBounds.bytes),
        Setting(
            name: "max-open-upload-bytes", placeholder: "N", defaultValue: "0",
            help: "the maximum bytes of all unfinished uploads together; 0 means eight times --max-upload-bytes",
            range: 0...SettingBounds.openUploadBytes),
        Setting(
            name: "max-open-upload-bytes-per-token", placeholder: "N", defaultValue: "0",
            help: "the maximum bytes of one token's unfinished uploads; 0 means half of --max-open-upload-bytes",
            range: 0...SettingBounds.openUploadBytes),
        Setting(
            name: "max-package-files", placeholder: "N", defaultValue: String(PackageLimits().fileCount),
            help: "the maximum number of files in a package", range: 1...SettingBounds.files),
        Setting(
            name: "max-file-bytes", placeholder: "N", defaultValue: String(PackageLimits().fileBytes),
            help: "the maximum bytes of one file, unpacked", range: 1...SettingBounds.bytes),
        Setting(
            name: "max-package-bytes", placeholder: "N", defaultValue: String(PackageLimits().totalBytes),
            help: "the maximum bytes of all files of a package, unpacked", range: 1...SettingBounds.bytes),
        Setting(
            name: "max-compression-ratio", placeholder: "N", defaultValue: String(PackageLimits().compressionRatio),
            help: "the maximum compression ratio of a file over 1 MiB: unpacked bytes per packed byte",
            range: 1...SettingBounds.compressionRatio),
        Setting(
            name: "max-reports", placeholder: "N", defaultValue: String(ReportWindow.defaultRows),
            help:
                "the number of newest reports to keep in full; counts of reports stay. With SQLite each takes 2 bytes of memory",
            range: 1...SettingBounds.reports),
        Setting(
            name: "max-report-ids", placeholder: "N", defaultValue: String(ReportWindow.defaultIDs),
            help:
                "the number of event ids to keep of reports that --max-reports has removed, so that a report sent again within "
                + "7 days counts once; past it, the oldest are forgotten, 65,536 at once. Each takes 10 bytes of disk and 2 "
                + "bytes of memory; 0 keeps none",
            range: 0...SettingBounds.reports),
        Setting(
            name: "report-spool-bytes", placeholder: "N", defaultValue: String(FileReportSpool.defaultLimit),
            help:
                "the maximum bytes of the file that holds reports while PostgreSQL cannot be used; past it, and with 0, "
                + "such reports are refused",
            range: 0...SettingBounds.bytes),
        Setting(
            name: "devices-seen", placeholder: "N", defaultValue: String(DevicesSeen.defaultLimit),
            help:
                "the maximum number of devices to record, for up to 30 days, by a digest or a hash of their id "
                + "(--device-ids), to estimate how many devices a release matches and to count the versions in use; 0 "
                + "records none and deletes the recorded ones",
            range: 0...SettingBounds.devicesSeen),
        Setting(
            name: "device-ids", placeholder: "plain|hashed", defaultValue: DeviceIDForm.plain.rawValue,
            help:
                "how reports and recorded devices are stored: under the id that the device sends and a digest of it, or "
                + "under a hash with a secret of this installation (docs/operations.md)"),
        Setting(
            name: "device-id-key-file", placeholder: "PATH", defaultValue: "",
            help:
                "a file with the secret for hashed device ids: 32 random bytes, raw, in hex or in base64; only its owner "
                + "may have access to the file; by default the secret is in the database. Give it after a change back to "
                + "plain, too, so that hashed rows are found"),
        Setting(
            name: "accept-device-id-fingerprint", placeholder: "DIGITS", defaultValue: "",
            help:
                "the 16 hexadecimal digits, as the refused start prints them, of a secret for hashed device ids that may "
                + "replace the earlier one: each device becomes a new one"),
        Setting(
            name: "prune", placeholder: "on|off", defaultValue: "on",
            help:
                "whether the server removes every day the versions and patches that --keep-versions, --keep-days and "
                + "--grace-hours do not keep; 'larder prune' does so at any time"),
        Setting(
            name: "keep-versions", placeholder: "N", defaultValue: "0",
            help: "the number of newest versions of each package to keep; if this and --keep-days are 0, all are kept",
            range: 0...SettingBounds.keptVersions),
        Setting(
            name: "keep-days", placeholder: "N", defaultValue: "0",
            help: "the number of days to keep versions after they were published", range: 0...SettingBounds.keptDays),
        Setting(
            name: "grace-hours", placeholder: "N", defaultValue: String(RetentionPolicy.defaultGraceHours),
            help: "the hours to keep a patch or an archive after the last response that named it",
            range: RetentionPolicy.minimumGraceHours...SettingBounds.graceHours),
        Setting(
            name: "max-connections", placeholder: "N", defaultValue: String(HTTPServer.defaultConnections),
            help: "the maximum number of connections; past it, a new one replaces the one that has been idle longest",
            range: 1...SettingBounds.connections),
        Setting(
            name: "max-connections-per-address", placeholder: "N",
            defaultValue: String(HTTPServer.defaultConnectionsPerAddress),
            help:
                "the maximum number of connections from one IPv4 address or one /64 of IPv6, and four times as many from "
                + "one /56; trusted proxies have no limit",
            range: 1...SettingBounds.connections),
        Setting(
            name: "operator-requests-per-second", placeholder: "N",
            defaultValue: String(RateLimits().operatorsPerSecond),
            help:
                "the rate limit of requests to /api/v1 and /metrics from one IPv4 address or one /64 of IPv6, and with "
                + "one token; bursts of four times as many are allowed; 0 means no limit",
            range: 0...TokenBucket.Rate.most),
        Setting(
            name: "reports-per-second", placeholder: "N", defaultValue: String(RateLimits().reportsPerSecond),
            help:
                "the rate limit of requests to /report from one IPv4 address or one /64 of IPv6, which many devices of "
                + "a carrier may share; bursts of ten times as many are allowed; 0 means no limit",
            range: 0...TokenBucket.Rate.most),
        Setting(
            name: "trusted-proxies", placeholder: "NETWORK[,…]", defaultValue: "",
            help:
                "the addresses or networks of proxies, such as 10.0.0.0/8, whose header field with the client's address "
                + "is trusted (default: none)"),
        Setting(
            name: "trusted-proxy-header", placeholder: "NAME",
            defaultValue: TrustedProxies.Field.xForwardedFor.rawValue,
            help: "the header field that trusted proxies set: x-forwarded-for or forwarded"),
        Setting(
            name: "webhook-networks", placeholder: "NETWORK[,…]", defaultValue: "",
            help:
                "the networks that webhooks may reach besides public addresses, such as 10.1.0.0/16 (default: none)"),
        Setting(
            name: "access-log", placeholder: "PATH", defaultValue: "off",
            help: "a log with one line for each response: off, - (standard error), or a file, which SIGHUP reopens"),
        Setting(
            name: "drain-seconds", placeholder: "N", defaultValue: String(Deadlines().drain.components.seconds),
            help: "the seconds that a stop waits for requests in progress", range: 1...SettingBounds.drainSeconds),
        Setting(
            name: "takeover-seconds", placeholder: "N", defaultValue: "1",
            help: "the seconds that a start waits while another process uses the data directory",
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
    /// The database of the metadata; `nil` for the one in the data directory.
    let databaseAddress: PostgreSQLAddress?
    /// The bucket of the blobs; `nil` if they are in the data directory.
    let bucket: BucketConfiguration?
    /// The source of the sealing key; `nil` if private keys are stored unsealed.
    let keySource: KeySource?
    let oldKeySource: KeySource?
    /// The external signer for keys without a private half on the server.
    let signer: CommandSigner?
    let publicURL: PublicURL?
    let contentURL: PublicURL?
    /// The base of the URLs of archives and files for devices; `nil` for that of the server.
    let cdnURL: PublicURL?
    let newestPackageAt: PackageID?
    let initialTokenFile: String?
    let limits: PackageLimits
    let uploadLimits: UploadLimits
    let reportWindow: ReportWindow
    let reportSpoolBytes: Int
    let devicesSeen: Int
    let deviceIDForm: DeviceIDForm
    /// The source of the secret under which device ids are hashed; `nil` for that in the database.
    let deviceIDKeySource: KeySource?
    let acceptedDeviceIDFingerprint: String?
    let retention: RetentionPolicy
    let isPruning: Bool
    let maxConnections: Int
    let maxConnectionsPerAddress: Int
    let rateLimits: RateLimits
    let proxies: TrustedProxies
    /// The networks to which webhooks may go although they are not public.
    let webhookNetworks: [AddressRange]
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
                ? .usage("\(resolved.origin("listen")) requires TLS: give a certificate with --tls-certificate")
                : .usage(
                    "no address in \(resolved.origin("listen")) uses TLS: leave out --tls-certificate, or remove http://"
                )
        }
        mayKernelSeal = try resolved.isOn("kernel-tls", "auto")
        hstsSeconds = try resolved.number("hsts-seconds")
        dataDirectory = resolved["data"]
        guard !dataDirectory.isEmpty else { throw resolved.wrong("data", "a directory") }
        databaseAddress = try DatabaseSource.address(
            resolved["database"], passwordFile: resolved["database-password-file"], origin: resolved.origin("database"),
            environment)
        bucket = try BucketConfiguration(resolved, cacheBytes: try resolved.number("cache-bytes"))
        keySource = try KeySource(file: resolved["key-file"], environment)
        let oldKey = resolved["old-key-file"]
        oldKeySource = oldKey.isEmpty ? nil : KeySource.file(at: oldKey, environment)
        guard oldKeySource == nil || keySource != nil else {
            throw .usage(
                "\(resolved.origin("old-key-file")) applies only to a change of the key: give the new key with --key-file"
            )
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
                "\(resolved.origin("listen")) contains no IP address that devices can connect to: set --public-url")
        }
        let contentText = resolved["content-url"]
        contentURL = PublicURL(contentText)
        guard contentText.isEmpty || contentURL != nil else {
            throw resolved.wrong("content-url", "an absolute http:// or https:// URL")
        }
        if let publicURL { try Self.keepApart(contentURL, publicURL) }
        let cdnText = resolved["cdn-url"]
        cdnURL = PublicURL(cdnText)
        guard cdnText.isEmpty || cdnURL != nil else {
            throw resolved.wrong("cdn-url", "an absolute http:// or https:// URL")
        }
        // The network would cache redirects to URLs that expire.
        guard cdnURL == nil || bucket?.delivery != .redirect else {
            throw .usage(
                "\(resolved.origin("cdn-url")) and --blob-delivery redirect exclude each other: give --blob-delivery "
                    + "proxy, or leave out the URL of the network")
        }
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
        reportWindow = ReportWindow(
            rows: try resolved.number("max-reports"), ids: try resolved.number("max-report-ids"))
        reportSpoolBytes = try resolved.number("report-spool-bytes")
        devicesSeen = try resolved.number("devices-seen")
        guard let form = DeviceIDForm(rawValue: resolved["device-ids"]) else {
            throw resolved.wrong("device-ids", DeviceIDForm.allCases.map(\.rawValue).joined(separator: " or "))
        }
        deviceIDForm = form
        let deviceIDKey = resolved["device-id-key-file"]
        deviceIDKeySource = deviceIDKey.isEmpty ? nil : KeySource.file(at: deviceIDKey, environment)
        let fingerprint = resolved["accept-device-id-fingerprint"]
        guard fingerprint.isEmpty || fingerprint.count == 16 && Hex.decode(fingerprint) != nil else {
            // Not shown: it may be the key.
            throw .usage(
                "\(resolved.origin("accept-device-id-fingerprint")) must be the 16 hexadecimal digits that the refused start "
                    + "printed, not the key")
        }
        acceptedDeviceIDFingerprint = fingerprint.isEmpty ? nil : fingerprint
        retention = try resolved.retention()
        isPruning = try resolved.isOn("prune")
        maxConnections = try resolved.number("max-connections")
        maxConnectionsPerAddress = try resolved.number("max-connections-per-address")
        rateLimits = RateLimits(
            operatorsPerSecond: try resolved.number("operator-requests-per-second"),
            reportsPerSecond: try resolved.number("reports-per-second"))
        proxies = try resolved.proxies()
        webhookNetworks = try resolved.networks("webhook-networks")
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
            "--content-url and --public-url have the same host '\(publicURL.host)'; another port is not enough. Give "
                + "--content-url a host of its own, or leave it out")
    }

    /// Every setting with its value and the source of the value; the URL of the database without its password.
    var description: String {
        values.map { setting, value in
            let text = setting.name == "database" ? databaseAddress?.description ?? "" : value.text
            return "\(setting.name) = \(text)  (\(value.source.rawValue))"
        }.joined(separator: "\n")
    }
}
