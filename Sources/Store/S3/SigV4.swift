import Domain
import Ground

/// AWS Signature Version 4 of a request, in the field `Authorization` or in the query.
struct SigV4: Sendable {
    let credentials: S3Credentials
    let region: String
    let cryptography: any Cryptography
    var service = "s3"

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// Returns the value of `Authorization`.
    ///
    /// - Parameters:
    ///   - path: The percent-encoded path.
    ///   - query: The names and values, not encoded.
    ///   - fields: The fields to sign, including `Host` and `X-Amz-Date`; the names are in lower case.
    ///   - payload: The SHA-256 of the body in hex.
    func authorization(
        _ method: String, path: String, query: [(name: String, value: String)], fields: [(name: String, value: String)],
        payload: String, at instant: Timestamp
    ) -> String {
        let fields = fields.sorted { $0.name < $1.name }
        let names = fields.map(\.name).joined(separator: ";")
        let request = [
            method, path, Self.encode(query),
            fields.map { "\($0.name):\($0.value)\n" }.joined(), names, payload,
        ].joined(separator: "\n")
        let date = Self.date(instant)
        return "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope(date)),SignedHeaders=\(names),"
            + "Signature=\(signature(of: request, at: date))"
    }

    /// Returns a query with which anyone can send a request until a time after `instant`.
    ///
    /// - Parameters:
    ///   - path: The percent-encoded path.
    ///   - query: The names and values, not encoded; they cannot be changed either.
    ///   - host: The field `Host`.
    func signedQuery(
        _ method: String, path: String, query: [(name: String, value: String)], host: String,
        validFor duration: Duration,
        at instant: Timestamp
    ) -> String {
        let date = Self.date(instant)
        var query = query
        query += [
            (name: "X-Amz-Algorithm", value: Self.algorithm),
            (name: "X-Amz-Credential", value: "\(credentials.accessKey)/\(scope(date))"),
            (name: "X-Amz-Date", value: date),
            (name: "X-Amz-Expires", value: String(duration.components.seconds)),
            (name: "X-Amz-SignedHeaders", value: "host"),
        ]
        if let token = credentials.sessionToken { query.append((name: "X-Amz-Security-Token", value: token)) }
        let encoded = Self.encode(query)
        let request = [method, path, encoded, "host:\(host)\n", "host", "UNSIGNED-PAYLOAD"].joined(separator: "\n")
        return "\(encoded)&X-Amz-Signature=\(signature(of: request, at: date))"
    }

    private func scope(_ date: String) -> String { "\(date.prefix(8))/\(region)/\(service)/aws4_request" }

    /// Returns the signature of a canonical request.
    private func signature(of request: String, at date: String) -> String {
        let text = [Self.algorithm, date, scope(date), cryptography.sha256(Array(request.utf8)).hex]
            .joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [String(date.prefix(8)), region, service, "aws4_request", text] {
            key = cryptography.hmacSHA256(of: Array(part.utf8), key: key)
        }
        return Hex.encode(key)
    }

    /// Returns the query in canonical form, which is also valid in a URL.
    static func encode(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encode($0.name.utf8), PercentEncoding.encode($0.value.utf8)) }
            .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Returns the value of `X-Amz-Date`, such as `20130524T000000Z`.
    static func date(_ instant: Timestamp) -> String {
        let second = Timestamp(milliseconds: instant.milliseconds - instant.milliseconds % 1000)
        return second.rfc3339.filter { $0 != "-" && $0 != ":" }
    }
}
