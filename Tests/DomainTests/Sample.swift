import Domain
import Ground
import Testing

/// Consistent sample values: the package `news` of the app `default`.
enum Sample {
    static let start = Timestamp(milliseconds: 1_767_225_600_000)
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 86_400_000

    /// Returns the salt of all samples.
    static func salt() throws -> Salt { try #require(Salt(bytes: Array(repeating: 7, count: Salt.length))) }

    static func package(_ text: String = "news") throws -> PackageID { try #require(PackageID(text)) }
    static func version(_ text: String) throws -> VersionString { try #require(VersionString(text)) }
    static func channel(_ text: String) throws -> ChannelName { try #require(ChannelName(text)) }
    static func prefix(_ text: String) throws -> URLPrefix { try #require(URLPrefix(text)) }

    /// Returns a digest whose bytes are all the same.
    static func digest(_ byte: UInt8) throws -> SHA256Digest {
        try #require(SHA256Digest(bytes: Array(repeating: byte, count: 32)))
    }

    static func content(_ byte: UInt8 = 1) throws -> FileContent {
        FileContent(digest: try digest(byte), size: 10, crc32: 7, deflated: nil)
    }

    /// Returns a tree whose files all have the same content.
    static func tree(_ paths: String...) throws -> Tree {
        Tree(try paths.map { TreeFile(path: try TreePath($0), content: try content()) })
    }

    static func makeVersion(
        tree: Tree? = nil, treeHash: SHA256Digest? = nil, entry: String? = "index.html", urlPrefix: String = "/news/",
        uploaded: UploadedDescriptors = UploadedDescriptors()
    ) throws -> Version {
        Version(
            app: .default, package: try package(), version: try version("1.2.0"),
            tree: try tree ?? Self.tree("index.html", "js/app.js"), treeHash: try treeHash ?? digest(0xAB),
            entry: try entry.map { try TreePath($0) }, urlPrefix: try prefix(urlPrefix), uploaded: uploaded,
            createdAt: start)
    }

    /// Returns a release that is created and active so many hours after the start.
    static func release(
        _ id: Int64, _ text: String, madeAt made: Int64 = 0, activeAt active: Int64? = nil, isMandatory: Bool = false,
        channel name: String = "production", rank: Int64? = nil
    ) throws -> Release {
        let createdAt = start.adding(milliseconds: made * hour)
        let activeTime = start.adding(milliseconds: (active ?? made) * hour)
        return Release(
            id: ReleaseID(id), app: .default, package: try package(), channel: try channel(name),
            version: try version(text), terms: ReleaseTerms(salt: try salt(), isMandatory: isMandatory),
            activeTime: activeTime, createdAt: createdAt,
            rank: rank.map { Rank($0) } ?? Rank.assigned(createdAt: createdAt, activeTime: activeTime, taken: []))
    }

    static func instant(_ hours: Int64) -> Timestamp { start.adding(milliseconds: hours * hour) }
}

extension Tree {
    var paths: [String] { files.map(\.path.text) }
}

extension [Release] {
    /// Returns the releases for a device without facts.
    func decision(at instant: Timestamp) -> PackageDecision {
        guard let package = first?.package else { return .nothing }
        let own = PackageReleases(self, at: instant) { Candidate($0) }
        var resolution = Resolution(ReleaseSnapshot(packages: [package: own]), facts: .none, at: instant)
        return resolution.decision(for: package)
    }

    /// Returns the next instant at which these may change by themselves.
    func boundary(at instant: Timestamp) -> Timestamp? {
        PackageReleases(self, at: instant) { Candidate($0) }.boundary
    }
}
