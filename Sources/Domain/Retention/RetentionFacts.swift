package import Ground

/// The facts about one package by which the retention rule decides.
package struct RetentionFacts: Sendable, Equatable {
    /// The versions whose files are stored, in the order of publishing.
    package let versions: [Version]
    package let artifacts: [Artifact]
    /// The releases on every channel.
    package let releases: [Release]
    /// The versions that builds of the app ship, newest build first.
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
        /// The number of the row.
        package let number: Int64
        package let version: VersionString
        /// The time of the last publishing, since a removed version may be published again.
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
        /// The number of the row.
        package let number: Int64
        package let version: VersionString
        /// The base of a patch; `nil` for a full archive.
        package let base: VersionString?
        package let kind: String
        package let layout: Layout
        package let blob: SHA256Digest
        package let size: Int
        /// The time of the mark that no response names the artifact; `nil` without a mark.
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

/// The versions and patches of one package that are removed together, by the numbers of their rows.
package struct Removal: Sendable, Equatable {
    /// The versions, with all their archives and the patches to and from them.
    package var versions: [Int64]
    /// The further patches.
    package var artifacts: [Int64]

    package init(versions: [Int64] = [], artifacts: [Int64] = []) {
        self.versions = versions
        self.artifacts = artifacts
    }

    package var isEmpty: Bool { versions.isEmpty && artifacts.isEmpty }
}
