import Files

/// The reason why a package was not updated; its copy is unchanged.
package struct PackageFailure: Error, Sendable, Equatable {
    /// The stable codes that reports carry.
    package enum Reason: String, Sendable {
        case invalidOffer = "invalid-offer"
        case downloadFailed = "download-failed"
        case sizeMismatch = "size-mismatch"
        case digestMismatch = "digest-mismatch"
        case signatureInvalid = "signature-invalid"
        case baseMismatch = "base-mismatch"
        case archiveInvalid = "archive-invalid"
        case treeMismatch = "tree-mismatch"
        case versionMismatch = "version-mismatch"
        case storageFailed = "storage-failed"
    }

    package let reason: Reason
    /// A clause that completes "the package was not updated:".
    package let message: String

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    init(_ error: SystemError) {
        self.init(.storageFailed, "\(error).")
    }
}
