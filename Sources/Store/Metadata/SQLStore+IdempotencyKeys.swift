package import Domain
package import Ground

extension SQLStore {
    package func requestRecord(
        of key: IdempotencyKey, by holder: Principal, at now: Timestamp
    ) throws(PlatformError) -> RequestRecord? {
        try transaction { database in
            try database.row(
                """
                SELECT claimed_at, fingerprint, status, content_type, location, tag, body FROM idempotency_keys
                WHERE holder = \(holder) AND key = \(key.text) AND claimed_at >= \(IdempotencyKey.oldest(at: now))
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
                UPDATE idempotency_keys SET fingerprint = \(fingerprint), status = \(response?.status),
                    content_type = \(response?.contentType), location = \(response?.location), tag = \(response?.tag),
                    body = \(response?.body)
                WHERE holder = \(claim.holder) AND key = \(claim.key.text) AND request = \(claim.request)
                """)
        }
    }
}

extension Database {
    /// The number of forgotten keys that a claim deletes: more than it adds.
    private static let deletedPerClaim = 10

    /// Records that a request has made a change; also if it has made another one before.
    ///
    /// Throws `idempotencyKeyInUse` if another request has the key, and `rateLimited` if the token or user has too many keys.
    func claim(_ claim: RequestClaim, at now: Timestamp) throws {
        let oldest = IdempotencyKey.oldest(at: now)
        let (holder, key) = (claim.holder, claim.key.text)
        try execute(
            """
            DELETE FROM idempotency_keys WHERE (holder, key) IN (
                SELECT holder, key FROM idempotency_keys WHERE claimed_at < \(oldest)
                ORDER BY claimed_at LIMIT \(Self.deletedPerClaim))
            """)
        let known: [UInt8]? = try value(
            "SELECT request FROM idempotency_keys WHERE holder = \(holder) AND key = \(key) AND claimed_at >= \(oldest)"
        )
        if known == claim.request { return }
        let count: Int =
            try value(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM idempotency_keys WHERE holder = \(holder) AND claimed_at >= \(oldest)
                    LIMIT \(IdempotencyKey.maximumPerHolder)) AS own
                """) ?? 0
        guard count < IdempotencyKey.maximumPerHolder else {
            throw PlatformError(
                .rateLimited,
                "There are \(IdempotencyKey.maximumPerHolder) keys of the last 24 hours for this token or user. Send the request without "
                    + "'Idempotency-Key', or try again in an hour.", retryAfter: 3600)
        }
        let added = try execute(
            """
            INSERT INTO idempotency_keys (holder, key, request, claimed_at)
            VALUES (\(holder), \(key), \(claim.request), \(now))
            ON CONFLICT (holder, key) DO UPDATE SET
                request = excluded.request, claimed_at = excluded.claimed_at, fingerprint = NULL, status = NULL,
                content_type = NULL, location = NULL, tag = NULL, body = NULL
            WHERE idempotency_keys.claimed_at < \(oldest)
            """)
        guard added == 1 else { throw PlatformError.idempotencyKeyInUse }
    }
}
