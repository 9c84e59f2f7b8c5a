package import Domain
package import Ground

extension SQLStore {
    package func requestRecord(
        of key: RequestKey, by token: Int64, at now: Timestamp
    ) throws(PlatformError) -> RequestRecord? {
        try transaction { database in
            try database.row(
                """
                SELECT claimed_at, fingerprint, status, content_type, location, tag, body FROM request_keys
                WHERE token = \(token) AND key = \(key.text) AND claimed_at >= \(RequestKey.oldest(at: now))
                """
            ) { row in
                guard let fingerprint = try row[1] as SHA256Digest? else { return .unfinished(claimedAt: try row[0]) }
                guard let status = try row[2] as Int? else { return .finished(fingerprint: fingerprint, response: nil) }
                return .finished(
                    fingerprint: fingerprint,
                    response: KeptResponse(
                        status: status, contentType: try row[3], location: try row[4], tag: try row[5],
                        body: try row[6]))
            }
        }
    }

    package func finishRequest(
        _ claim: RequestClaim, fingerprint: SHA256Digest, response: KeptResponse?
    ) throws(PlatformError) {
        _ = try transaction { database in
            try database.execute(
                """
                UPDATE request_keys SET fingerprint = \(fingerprint), status = \(response?.status),
                    content_type = \(response?.contentType), location = \(response?.location), tag = \(response?.tag),
                    body = \(response?.body)
                WHERE token = \(claim.token) AND key = \(claim.key.text) AND request = \(claim.request)
                """)
        }
    }
}

extension Database {
    /// The number of forgotten keys that a claim deletes: more than it adds.
    private static let deletedPerClaim = 10

    /// Records that a request has made a change; also if it has made another one before.
    ///
    /// Throws `conflict` if another request has the key, and `rateLimited` if the token has too many keys.
    func claim(_ claim: RequestClaim, at now: Timestamp) throws {
        let oldest = RequestKey.oldest(at: now)
        let (token, key) = (claim.token, claim.key.text)
        try execute(
            """
            DELETE FROM request_keys WHERE (token, key) IN (
                SELECT token, key FROM request_keys WHERE claimed_at < \(oldest)
                ORDER BY claimed_at LIMIT \(Self.deletedPerClaim))
            """)
        let known: [UInt8]? = try value(
            "SELECT request FROM request_keys WHERE token = \(token) AND key = \(key) AND claimed_at >= \(oldest)")
        if known == claim.request { return }
        let count: Int =
            try value(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM request_keys WHERE token = \(token) LIMIT \(RequestKey.maximumPerToken)) AS own
                """) ?? 0
        guard count < RequestKey.maximumPerToken else {
            throw PlatformError(
                .rateLimited,
                "The token has used \(RequestKey.maximumPerToken) keys in 24 hours. Send the request without "
                    + "'Idempotency-Key', or later.", retryAfter: Int(RequestKey.lifetimeMilliseconds / 24_000))
        }
        let added = try execute(
            """
            INSERT INTO request_keys (token, key, request, claimed_at)
            VALUES (\(token), \(key), \(claim.request), \(now))
            ON CONFLICT (token, key) DO UPDATE SET
                request = excluded.request, claimed_at = excluded.claimed_at, fingerprint = NULL, status = NULL,
                content_type = NULL, location = NULL, tag = NULL, body = NULL
            WHERE request_keys.claimed_at < \(oldest)
            """)
        guard added == 1 else { throw PlatformError.keyInUse }
    }
}
