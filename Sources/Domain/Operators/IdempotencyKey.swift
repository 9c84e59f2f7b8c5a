package import Ground

/// The name that a client gives to a request in `Idempotency-Key`, so that a retry makes no second change
/// (decision 0078).
package struct IdempotencyKey: Sendable, Hashable {
    package static let maximumLength = 255
    package static let shape = "1 to \(maximumLength) printable ASCII characters without spaces"
    /// The time for which a key is known after its request made a change.
    package static let lifetimeMilliseconds: Int64 = 24 * 3_600_000
    /// The time after a change in which its response may still be recorded.
    package static let finishingMilliseconds: Int64 = 60_000
    /// The limit on the known keys of one token or user.
    package static let maximumPerHolder = 10_000

    package let text: String

    /// Fails for a text of another shape; the quotes of a structured field (RFC 8941) are removed.
    package init?(_ text: String) {
        let bytes = text.utf8
        let isQuoted = bytes.count >= 2 && bytes.first == ASCII.quote && bytes.last == ASCII.quote
        let inner = isQuoted ? String(text.dropFirst().dropLast()) : text
        guard (1...Self.maximumLength).contains(inner.utf8.count), inner.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        self.text = inner
    }

    /// Returns the time before which keys are forgotten.
    package static func oldest(at now: Timestamp) -> Timestamp { now.adding(milliseconds: -lifetimeMilliseconds) }
}

/// The claim of a request to its key, which the transaction of its change records.
package struct RequestClaim: Sendable, Hashable {
    package let holder: Principal
    package let key: IdempotencyKey
    /// Random bytes that identify the request among its retries.
    package let request: [UInt8]

    package static let requestBytes = 16

    package init(holder: Principal, key: IdempotencyKey, request: [UInt8]) {
        self.holder = holder
        self.key = key
        self.request = request
    }
}

/// A response as it is kept for retries of its request.
package struct KeptResponse: Sendable, Equatable {
    /// The limit on the bytes of a body; a longer one is not kept.
    package static let bodyLimit = 64 << 10

    package let status: Int
    package let contentType: String?
    package let location: String?
    package let tag: String?
    package let body: [UInt8]

    package init(status: Int, contentType: String?, location: String?, tag: String?, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.tag = tag
        self.body = body
    }
}

/// The state of a request whose key is known.
package enum RequestRecord: Sendable, Equatable {
    /// The request has made its change, and its response is not known, as after a crash.
    case unfinished(claimedAt: Timestamp)
    /// - Parameters:
    ///   - fingerprint: The digest of method, target and body.
    ///   - response: The response; `nil` if it is not kept.
    case finished(fingerprint: SHA256Digest, response: KeptResponse?)
}

extension PlatformError {
    /// The error of a request whose key another request in progress has.
    package static var idempotencyKeyInUse: PlatformError {
        PlatformError(
            .idempotencyKeyInUse, "A request with this 'Idempotency-Key' is in progress. Send it again in a moment.",
            retryAfter: 1)
    }
}
