/// What is known of one package when it is decided what of it may be removed.
package struct RetentionFacts: Sendable, Equatable {
    /// Those that have their files, in the order of publishing.
    package let versions: [Version]
    package let artifacts: [Artifact]
    /// On every channel.
    package let releases: [Release]
    /// What builds of the app ship, the newest build first.
    package let shipped: [VersionString]

    package init(
        versions: [Version], artifacts: [Artifact], releases: [Release], shipped: [VersionString] = []
    ) {
        self.versions = versions
        self.artifacts = artifacts
        self.releases = releases
        self.shipped = shipped
    }

    package struct Version: Sendable, Hashable {
        /// Of its row.
        package let number: Int64
        package let version: VersionString
        /// The last time, where it was published again after it had been removed.
        package let publishedAt: Timestamp
        package let fileCount: Int

        package init(number: Int64, version: VersionString, publishedAt: Timestamp, fileCount: Int) {
            self.number = number
            self.version = version
            self.publishedAt = publishedAt
            self.fileCount = fileCount
        }
    }

    package struct Artifact: Sendable, Hashable {
        /// Of its row.
        package let number: Int64
        package let version: VersionString
        /// `nil` for a full archive.
        package let base: VersionString?
        package let kind: String
        package let layout: Layout
        package let blob: SHA256Digest
        package let size: Int
        /// When it was first seen that no answer names it; `nil` where one does, or nobody has looked.
        package let unreferencedSince: Timestamp?

        package init(
            number: Int64, version: VersionString, base: VersionString?, kind: String, layout: Layout,
            blob: SHA256Digest, size: Int, unreferencedSince: Timestamp?
        ) {
            self.number = number
            self.version = version
            self.base = base
            self.kind = kind
            self.layout = layout
            self.blob = blob
            self.size = size
            self.unreferencedSince = unreferencedSince
        }
    }
}

/// Versions and patches of one package that go together, by the numbers of their rows.
package struct Removal: Sendable, Equatable {
    /// With all their archives, and the patches to and from them.
    package var versions: [Int64]
    /// Further patches.
    package var artifacts: [Int64]

    package init(versions: [Int64] = [], artifacts: [Int64] = []) {
        self.versions = versions
        self.artifacts = artifacts
    }

    package var isEmpty: Bool { versions.isEmpty && artifacts.isEmpty }
}
