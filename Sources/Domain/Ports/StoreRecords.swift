/// A blob that metadata is about to refer to.
package struct BlobRecord: Sendable, Hashable {
    package let digest: SHA256Digest
    package let size: Int

    package init(digest: SHA256Digest, size: Int) {
        self.digest = digest
        self.size = size
    }
}

/// What was published under a version string.
package struct Publication: Sendable, Equatable {
    package let version: VersionString
    package let identity: SHA256Digest
    package let isRetired: Bool
    package let requirements: VersionRequirements
    /// When its files were removed; `nil` where they are there.
    package let prunedAt: Timestamp?

    package init(
        version: VersionString, identity: SHA256Digest, isRetired: Bool,
        requirements: VersionRequirements = .none, prunedAt: Timestamp? = nil
    ) {
        self.version = version
        self.identity = identity
        self.isRetired = isRetired
        self.requirements = requirements
        self.prunedAt = prunedAt
    }
}

/// A version without its files.
package struct VersionSummary: Sendable, Equatable {
    package let version: VersionString
    package let treeHash: SHA256Digest
    package let fileCount: Int
    /// Bytes of all files of the canonical tree.
    package let totalSize: Int
    /// Bytes of the full archive.
    package let archiveSize: Int
    package let createdAt: Timestamp
    package private(set) var details: VersionDetails
    /// `nil` while it may be released.
    package private(set) var retirement: Retirement?

    package init(
        version: VersionString, treeHash: SHA256Digest, fileCount: Int, totalSize: Int, archiveSize: Int,
        createdAt: Timestamp, details: VersionDetails = .none, retirement: Retirement? = nil
    ) {
        self.version = version
        self.treeHash = treeHash
        self.fileCount = fileCount
        self.totalSize = totalSize
        self.archiveSize = archiveSize
        self.createdAt = createdAt
        self.details = details
        self.retirement = retirement
    }

    /// The version with other notes.
    package func with(notes: String?) -> VersionSummary {
        var other = self
        other.details.notes = notes
        return other
    }

    /// The version retired, or not.
    package func with(retirement: Retirement?) -> VersionSummary {
        var other = self
        other.retirement = retirement
        return other
    }
}

/// `/keys.json` as it was signed.
package struct SignedKeyDocument: Sendable, Equatable {
    package let number: Int64
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let document: [UInt8]
    package let keyID: KeyID
    package let signature: [UInt8]

    package init(
        number: Int64, issuedAt: Timestamp, expiresAt: Timestamp, document: [UInt8], keyID: KeyID, signature: [UInt8]
    ) {
        self.number = number
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.document = document
        self.keyID = keyID
        self.signature = signature
    }
}

/// A version that needs another package.
package struct Dependent: Sendable, Equatable {
    package let package: PackageID
    package let version: VersionString
    /// The range of the other package's versions.
    package let range: VersionRange

    package init(package: PackageID, version: VersionString, range: VersionRange) {
        self.package = package
        self.version = version
        self.range = range
    }
}
