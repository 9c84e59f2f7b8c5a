import Ground
import Transport

/// The location of an installation's objects: a bucket, a prefix of their keys, and the server of the bucket.
package struct S3Address: Sendable, Equatable, CustomStringConvertible {
    package let bucket: String
    /// The beginning of all keys: empty, or a path that ends in a slash.
    package let prefix: String
    package let region: String
    /// The server of the bucket, without a path.
    let endpoint: HTTPURL
    /// Whether the bucket is the first part of the path instead of the host name.
    let isPathStyle: Bool

    /// The region if none is given.
    package static let defaultRegion = "us-east-1"
    /// The scheme of locations.
    package static let scheme = "s3://"
    /// The maximum length of a prefix in bytes; a key has at most 1,024.
    static let maximumPrefixLength = 512
    /// The permitted lengths of a bucket's name.
    static let bucketLengths = 3...63

    /// The part of a location that is invalid.
    package enum Fault: Error, Sendable, Equatable {
        case location, endpoint, region
    }

    /// Parses `s3://BUCKET[/PREFIX]`.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the server; empty for the one of AWS in the region.
    ///   - region: The region; empty for ``defaultRegion``.
    ///   - isPathStyle: Whether the bucket is in the path. A bucket with a dot in its name always is, because its host
    ///     name would match no certificate.
    package init(_ location: String, endpoint: String, region: String, isPathStyle: Bool) throws(Fault) {
        guard location.hasPrefix(Self.scheme) else { throw .location }
        let parts = location.dropFirst(Self.scheme.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bucket = parts.first, Self.bucketLengths.contains(bucket.utf8.count),
            bucket.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }),
            bucket.utf8.first.map(ASCII.isAlphanumeric) == true
        else { throw .location }
        var prefix = parts.count > 1 ? String(parts[1]) : ""
        if prefix.hasSuffix("/") { prefix.removeLast() }
        let segments = prefix.split(separator: "/", omittingEmptySubsequences: false)
        let isValid = segments.allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.utf8.allSatisfy { PercentEncoding.isUnreserved($0) }
        }
        guard prefix.isEmpty || isValid, prefix.utf8.count <= Self.maximumPrefixLength else { throw .location }
        let region = region.isEmpty ? Self.defaultRegion : region
        guard region.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == ASCII.hyphen }) else { throw .region }
        let url = try? HTTPURL(endpoint.isEmpty ? "https://s3.\(region).amazonaws.com" : endpoint)
        guard let url, url.target == "/" else { throw .endpoint }
        self.bucket = String(bucket)
        self.prefix = prefix.isEmpty ? "" : prefix + "/"
        self.region = region
        self.endpoint = url
        self.isPathStyle = isPathStyle || bucket.contains(".")
    }

    package var description: String { "\(Self.scheme)\(bucket)/\(prefix)" }

    /// The URL of the server, for messages.
    var server: String { "\(endpoint.isSecure ? "https" : "http")://\(endpoint.authority)" }

    /// The host that requests go to, and the field `Host`.
    var authority: String { isPathStyle ? endpoint.authority : "\(bucket).\(endpoint.authority)" }

    /// Whether connections to the server use TLS.
    package var isSecure: Bool { endpoint.isSecure }

    /// The beginning of the URLs of objects, without a slash at the end.
    var base: String { "\(endpoint.isSecure ? "https" : "http")://\(authority)" }

    /// Returns the percent-encoded path of an object.
    func path(of key: String) -> String {
        let encoded = key.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0.utf8) }.joined(separator: "/")
        return isPathStyle ? "/\(bucket)/\(encoded)" : "/\(encoded)"
    }

    /// Returns the URL of a percent-encoded path and query.
    func url(of target: String) throws(TransportError) -> HTTPURL {
        try HTTPURL("\(base)\(target)")
    }
}
