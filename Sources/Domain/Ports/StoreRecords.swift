package import Ground

/// A blob that metadata is about to reference.
package struct BlobRecord: Sendable, Hashable {
    package let digest: SHA256Digest
    package let size: Int

    package init(digest: SHA256Digest, size: Int) {
        self.digest = digest
        self.size = size
    }
}

/// The publication of a version string.
package struct Publication: Sendable, Equatable {
    package let version: VersionString
    package let identity: SHA256Digest
    package let isRetired: Bool
    package let requirements: VersionRequirements
    /// The time when its files were removed; `nil` if they are stored.
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
    /// The bytes of all files of the canonical tree.
    package let totalSize: Int
    /// The bytes of the full archive.
    package let archiveSize: Int
    /// The bytes of the smallest patch from the newest earlier version with one; `nil` without a patch.
    package let patchSize: Int?
    package let createdAt: Timestamp
    package private(set) var details: VersionDetails
    /// The retirement; `nil` while the version may be released.
    package private(set) var retirement: Retirement?

    package init(
        version: VersionString, treeHash: SHA256Digest, fileCount: Int, totalSize: Int, archiveSize: Int,
        patchSize: Int? = nil, createdAt: Timestamp, details: VersionDetails = .none, retirement: Retirement? = nil
    ) {
        self.patchSize = patchSize
        self.version = version
        self.treeHash = treeHash
        self.fileCount = fileCount
        self.totalSize = totalSize
        self.archiveSize = archiveSize
        self.createdAt = createdAt
        self.details = details
        self.retirement = retirement
    }

    /// Returns a copy with other notes.
    package func with(notes: String?) -> VersionSummary {
        var other = self
        other.details.notes = notes
        return other
    }

    /// Returns a copy with another retirement; `nil` ends it.
    package func with(retirement: Retirement?) -> VersionSummary {
        var other = self
        other.retirement = retirement
        return other
    }
}

/// A signed `/keys.json` document.
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

/// A version that depends on another package.
package struct Dependent: Sendable, Equatable {
    package let package: PackageID
    package let version: VersionString
    /// The required range of the other package's versions.
    package let range: VersionRange

    package init(package: PackageID, version: VersionString, range: VersionRange) {
        self.package = package
        self.version = version
        self.range = range
    }
}
