import Artifacts
import Domain
import Glibc
import Ground
import Store
import Transport

/// The configuration of a bucket for the blobs.
struct BucketConfiguration {
    /// The settings that name the bucket, which `serve` and `doctor` share.
    static let bucketSettings: [Setting] = [
        Setting(
            name: "blobs", placeholder: "s3://BUCKET[/PREFIX]", defaultValue: "",
            help:
                "the bucket of an S3-compatible store for archives and files, and the beginning of their keys "
                + "(default: none; they are in the data directory)"),
        Setting(
            name: "s3-endpoint", placeholder: "URL", defaultValue: "",
            help: "the URL of the S3-compatible store (default: that of AWS in the region)"),
        Setting(
            name: "s3-region", placeholder: "NAME", defaultValue: "",
            help: "the region of the bucket (default: \(S3Address.defaultRegion))"),
        Setting(
            name: "s3-path-style", placeholder: "on|off", defaultValue: "off",
            help: "whether the bucket is in the path of URLs instead of the host name, as many stores require"),
        Setting(
            name: "s3-credentials", placeholder: "FILE", defaultValue: "",
            help:
                "a file with the access key in the format of ~/.aws/credentials; AWS_PROFILE selects a profile; by "
                + "default the values of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or else "
                + "~/.aws/credentials"),
    ]

    /// The settings of the cache and of downloads, which only `serve` has.
    static let servingSettings: [Setting] = [
        Setting(
            name: "blob-delivery", placeholder: "proxy|redirect", defaultValue: BlobDelivery.proxy.rawValue,
            help:
                "whether the server fetches files from the bucket and sends them, or redirects devices to the bucket; "
                + "devices must be able to reach --s3-endpoint then"),
        Setting(
            name: "cache-dir", placeholder: "DIR", defaultValue: "",
            help: "the folder of the files fetched from the bucket (default: 'cache' in the data directory)"),
        Setting(
            name: "cache-bytes", placeholder: "N", defaultValue: String(defaultCacheBytes),
            help: "the maximum bytes of the files in --cache-dir; the least recently used are removed",
            range: SettingBounds.leastCacheBytes...SettingBounds.cacheBytes),
    ]

    /// The maximum bytes of the cache by default: 10 GiB.
    static let defaultCacheBytes = 10 << 30
    /// The limit on the bytes of a credentials file.
    private static let longestCredentials = 64 << 10

    let address: S3Address
    private let credentials: S3Credentials
    /// The file of the access key; `nil` if the environment has it.
    let credentialsFile: String?
    /// The folder of the cache; `nil` for the default.
    let cacheDirectory: String?
    let cacheBytes: Int
    let delivery: BlobDelivery

    /// Fails if no bucket is given; throws a usage error for a setting that needs one, and for invalid settings.
    init?(_ resolved: ResolvedSettings, cacheBytes: Int = defaultCacheBytes) throws(CommandError) {
        let location = resolved["blobs"]
        guard !location.isEmpty else {
            for setting in (Self.bucketSettings + Self.servingSettings).dropFirst() {
                let value = resolved.value(of: setting)
                guard value.source == .builtIn || value.text.isEmpty else {
                    throw .usage("\(resolved.origin(setting.name)) applies only with --blobs: give it, or leave it out")
                }
            }
            return nil
        }
        let isPathStyle = try resolved.isOn("s3-path-style")
        do throws(S3Address.Fault) {
            address = try S3Address(
                location, endpoint: resolved["s3-endpoint"], region: resolved["s3-region"], isPathStyle: isPathStyle)
        } catch {
            switch error {
            case .location:
                throw resolved.wrong(
                    "blobs",
                    "s3://BUCKET or s3://BUCKET/PREFIX, in letters, digits and '-', '.', '_'; the bucket has 3 to 63")
            case .endpoint: throw resolved.wrong("s3-endpoint", "an http:// or https:// URL without a path")
            case .region: throw resolved.wrong("s3-region", "the name of a region, such as eu-central-1")
            }
        }
        (credentials, credentialsFile) = try Self.credentials(resolved)
        guard let delivery = BlobDelivery(rawValue: resolved["blob-delivery"]) else {
            throw resolved.wrong("blob-delivery", "proxy or redirect")
        }
        self.delivery = delivery
        cacheDirectory = resolved["cache-dir"].isEmpty ? nil : resolved["cache-dir"]
        self.cacheBytes = cacheBytes
    }

    private static func credentials(
        _ resolved: ResolvedSettings
    ) throws(CommandError) -> (S3Credentials, file: String?) {
        let environment = resolved.environment
        let file = resolved["s3-credentials"]
        if file.isEmpty {
            if let credentials = S3Credentials(environment: environment) { return (credentials, nil) }
            // Otherwise a misspelt key would silently select the file.
            guard (environment["AWS_ACCESS_KEY_ID"] ?? "").isEmpty else {
                throw .usage(
                    "AWS_ACCESS_KEY_ID is set but cannot be used: set AWS_SECRET_ACCESS_KEY as well, both without spaces, "
                        + "or unset it")
            }
            guard let home = environment["HOME"], access("\(home)/.aws/credentials", F_OK) == 0 else {
                throw .usage(
                    "--blobs needs an access key: give a file with --s3-credentials, or set AWS_ACCESS_KEY_ID and "
                        + "AWS_SECRET_ACCESS_KEY")
            }
            let path = "\(home)/.aws/credentials"
            return (try credentials(in: path, environment), path)
        }
        return (try credentials(in: file, environment), file)
    }

    private static func credentials(
        in path: String, _ environment: [String: String]
    ) throws(CommandError) -> S3Credentials {
        let bytes: [UInt8]
        do throws(SmallFileError) { bytes = try SmallFile.read(path, upTo: longestCredentials) } catch {
            throw .usage(error.message(path, of: "access key"))
        }
        let named = environment["AWS_PROFILE"] ?? ""
        let profile = named.isEmpty ? S3Credentials.defaultProfile : named
        guard let credentials = S3Credentials(file: String(decoding: bytes, as: UTF8.self), profile: profile) else {
            throw .usage(
                "\(path) contains no access key in the profile '\(profile)': write [\(profile)], aws_access_key_id = … "
                    + "and aws_secret_access_key = … on lines of their own")
        }
        return credentials
    }

    /// The settings that are accepted but probably a mistake.
    var warnings: [String] {
        var warnings: [String] = []
        if let file = credentialsFile, SecretFile.isPublic(file) {
            warnings.append(
                "all accounts have access to \(file), which contains the access key of the bucket: run `chmod 600` on it, "
                    + "and replace the key if another account may have read it")
        }
        if delivery == .redirect, !address.isSecure {
            warnings.append(
                "devices are redirected to --s3-endpoint over http://, which many devices refuse: give an https:// URL")
        }
        return warnings
    }

    /// Returns a client of the bucket.
    func makeClient(
        environment: [String: String], clock: SystemClock, log: any Log
    ) -> S3Client {
        S3Client(
            address, credentials: credentials,
            http: HTTPClient(
                timeouts: S3Client.timeouts, authorities: nil, environment: environment,
                keptHandles: S3Client.concurrency),
            cryptography: OpenSSLCryptography(), timing: .system(now: clock.now), log: log)
    }
}

extension ServeConfiguration {
    /// Returns the place of the blobs in a bucket; `nil` if they are in the data directory.
    func bucketPlace(environment: [String: String], clock: SystemClock, log: any Log) -> BucketPlace? {
        bucket.map { bucket in
            BucketPlace(
                client: bucket.makeClient(environment: environment, clock: clock, log: log),
                cachePath: bucket.cacheDirectory ?? "\(dataDirectory)/cache", cacheBytes: bucket.cacheBytes,
                delivery: bucket.delivery, elapsed: SystemClock.elapsed)
        }
    }
}
