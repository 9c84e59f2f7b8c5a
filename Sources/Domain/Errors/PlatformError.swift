package import Ground

/// The error type of the platform: a stable code, a message for the user, a cause for the log.
package struct PlatformError: Error, Sendable, Equatable {
    /// The stable error codes, which are part of the operators' API.
    package enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid-request"
        case unauthorized = "unauthorized"
        case signInExpired = "sign-in-expired"
        case signInRefused = "sign-in-refused"
        case noMatchingGroup = "no-matching-group"
        case userDisabled = "user-disabled"
        case codeRequired = "code-required"
        case forbidden = "forbidden"
        case crossSiteRequest = "cross-site-request"
        case appNotFound = "app-not-found"
        case channelNotFound = "channel-not-found"
        case packageNotFound = "package-not-found"
        case versionNotFound = "version-not-found"
        case releaseNotFound = "release-not-found"
        case listNotFound = "list-not-found"
        case preconditionFailed = "precondition-failed"
        case malformedPrecondition = "malformed-precondition"
        case buildNotFound = "build-not-found"
        case presetNotFound = "preset-not-found"
        case keyNotFound = "key-not-found"
        case tokenNotFound = "token-not-found"
        case ciTrustNotFound = "ci-trust-not-found"
        case signInProviderNotFound = "sign-in-provider-not-found"
        case userNotFound = "user-not-found"
        case sessionNotFound = "session-not-found"
        case waiverNotFound = "waiver-not-found"
        case grantNotFound = "grant-not-found"
        case pageNotGranted = "page-not-granted"
        case webhookNotFound = "webhook-not-found"
        case uploadNotFound = "upload-not-found"
        case approvalNotFound = "approval-not-found"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case versionExists = "version-exists"
        case versionRetired = "version-retired"
        case versionOffered = "version-offered"
        case nameTaken = "name-taken"
        case userExists = "user-exists"
        case publicURLRequired = "public-url-required"
        case releaseExists = "release-exists"
        case dependentsLost = "dependents-lost"
        case approvalOutdated = "approval-outdated"
        case conflict = "conflict"
        case wrongOffset = "wrong-offset"
        case uploadGone = "upload-gone"
        case unsupportedProtocol = "unsupported-protocol"
        case unsupportedMediaType = "unsupported-media-type"
        case bodyTooLarge = "body-too-large"
        case bodyIncomplete = "body-incomplete"
        case badPackage = "bad-package"
        case uploadLocked = "upload-locked"
        case idempotencyKeyInUse = "idempotency-key-in-use"
        case responseNotKept = "response-not-kept"
        case idempotencyKeyReused = "idempotency-key-reused"
        case checksumMismatch = "checksum-mismatch"
        case tooManyUploads = "too-many-uploads"
        case rateLimited = "rate-limited"
        case signingFailed = "signing-failed"
        case providerUnavailable = "provider-unavailable"
        case busy = "busy"
        case storageFull = "storage-full"
        case storageFailed = "storage-failed"
        case storageUnavailable = "storage-unavailable"
        case internalError = "internal-error"
    }

    package let code: Code
    /// The message up to the remedy.
    private let text: String
    /// The operation that the message recommends.
    package let remedy: Remedy?
    /// The message after the remedy.
    private let ending: String
    /// The faulty entry of the uploaded zip.
    package let entry: String?
    /// The stable code of the entry's fault (`path-traversal`, `too-large` …).
    package let reason: String?
    /// The further members of the problem document, for programs.
    package let facts: [JSON.Member]
    /// The cause, which only the log shows.
    package let cause: String?
    /// The seconds after which a retry may succeed; at least one.
    package let retryAfter: Int?

    package init(
        _ code: Code, _ message: String, entry: String? = nil, reason: String? = nil, facts: [JSON.Member] = [],
        cause: String? = nil, retryAfter: Int? = nil
    ) {
        self.code = code
        text = message
        remedy = nil
        ending = ""
        self.entry = entry
        self.reason = reason
        self.facts = facts
        self.cause = cause
        self.retryAfter = retryAfter
    }

    /// Creates an error whose message recommends an operation.
    ///
    /// The message consists of `message`, the operation in the words of the interface, and `ending`.
    package init(_ code: Code, _ message: String, remedy: Remedy, _ ending: String = ".") {
        self.code = code
        text = message + " "
        self.remedy = remedy
        self.ending = ending
        entry = nil
        reason = nil
        facts = []
        cause = nil
        retryAfter = nil
    }

    /// Whether the transaction of a call that threw this error may be committed, as after a lost connection.
    package var mayHaveCommitted: Bool { code == .storageFailed || code == .storageUnavailable }

    /// The message for the user: the fault and the remedy, in words.
    ///
    /// It contains no secret.
    package var message: String { message(naming: \.description) }

    /// Returns the message with the remedy in the terms of an interface.
    package func message(naming name: (Remedy) -> String) -> String {
        text + (remedy.map(name) ?? "") + ending
    }
}
