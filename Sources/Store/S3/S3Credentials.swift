import Ground

/// The access key of a bucket.
///
/// Its description hides the secrets.
package struct S3Credentials: Sendable, Equatable, CustomStringConvertible {
    /// The public part, which may contain a colon.
    let accessKey: String
    let secretKey: String
    /// The token of temporary credentials.
    let sessionToken: String?

    /// The profile of a credentials file if the environment names none.
    package static let defaultProfile = "default"

    /// Fails if a part is empty or contains a character that a header field or a scope cannot hold.
    package init?(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        let token = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
        let parts = [accessKey, secretKey] + (token.map { [$0] } ?? [])
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }),
            !accessKey.contains(","), !accessKey.contains("/")
        else { return nil }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = token
    }

    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    package init?(environment: [String: String]) {
        guard let accessKey = environment["AWS_ACCESS_KEY_ID"], let secretKey = environment["AWS_SECRET_ACCESS_KEY"]
        else { return nil }
        self.init(accessKey: accessKey, secretKey: secretKey, sessionToken: environment["AWS_SESSION_TOKEN"])
    }

    /// Reads a profile of a file in the format of `~/.aws/credentials`.
    package init?(file text: String, profile: String) {
        var values: [Substring: Substring] = [:]
        var isInProfile = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = Self.trimmed(line)
            guard !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                isInProfile = Self.trimmed(line.dropFirst().dropLast()) == profile
                continue
            }
            guard isInProfile, let sign = line.firstIndex(of: "=") else { continue }
            values[Self.trimmed(line[..<sign])] = Self.trimmed(line[line.index(after: sign)...])
        }
        guard let accessKey = values["aws_access_key_id"], let secretKey = values["aws_secret_access_key"] else {
            return nil
        }
        self.init(
            accessKey: String(accessKey), secretKey: String(secretKey),
            sessionToken: values["aws_session_token"].map(String.init))
    }

    package var description: String { "access key \(accessKey)" }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
