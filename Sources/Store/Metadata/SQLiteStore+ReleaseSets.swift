package import Domain
import Ground

extension SQLiteStore {
    package func makeReleaseSet(
        _ drafts: [ReleaseDraft], takingBack ended: [Release], patches: [SignedArtifact], blobs: [BlobRecord],
        audit: AuditEntry
    ) throws(PlatformError) -> [Release] {
        try transaction { database in
            guard let first = drafts.first else { return [] }
            try database.requireChannel(first.channel, of: first.app)
            try database.insert(blobs)
            for patch in patches { try database.insert(patch, unlessThere: true) }
            for release in ended { try database.update(release, at: audit.time) }
            let rank = try database.rank(
                of: drafts, createdAt: audit.time, above: ended.map(\.rank).max())
            let set = try database.inserted(
                """
                INSERT INTO release_sets (app, channel, created_at)
                VALUES (\(first.app), \(first.channel), \(audit.time)) RETURNING id
                """)
            for draft in drafts {
                _ = try database.make(draft, rank: rank, createdAt: audit.time, set: set)
            }
            try database.change(first.app, at: audit.time, audit: audit)
            return try database.made(where: "releases.release_set = \(set)", at: audit.time)
        }
    }

    package func releases(ofSet set: ReleaseSetID?, in app: AppID) throws(PlatformError) -> [Release] {
        try transaction { database in
            guard let set else {
                return try database.releases(
                    where: "releases.app = \(app) AND releases.release_set IS NOT NULL")
            }
            return try database.releases(where: "releases.app = \(app) AND releases.release_set = \(set)")
        }
    }
}

extension SQL {
    /// Of a release of a set: the set's number, the version of each package, and whether nothing but its terms keeps a part
    /// of it from a device.
    static let setMembership: SQL = """
        releases.release_set,
        CASE WHEN releases.release_set IS NOT NULL THEN (
            SELECT json_group_object(packages.id, versions.version) FROM releases AS member
            JOIN packages ON packages.number = member.package
            JOIN versions ON versions.number = member.version
            WHERE member.release_set = releases.release_set) END,
        CASE WHEN releases.release_set IS NOT NULL THEN NOT EXISTS (
            SELECT 1 FROM releases AS member
            JOIN packages ON packages.number = member.package
            LEFT JOIN prunings ON prunings.version = member.version
            LEFT JOIN version_requirements AS needs ON needs.version = member.version
            WHERE member.release_set = releases.release_set
                AND (packages.enabled = 0 OR needs.version IS NOT NULL OR \(isPruned))) END
        """
}

extension SetMembership {
    /// From ``SQL/setMembership``; `nil` of a release of its own.
    init?(_ row: borrowing Row, from start: Int32) throws {
        guard let id: ReleaseSetID = try row[start] else { return nil }
        let json: JSON = try row[start + 1]
        var versions: [PackageID: VersionString] = [:]
        for member in json.members ?? [] {
            guard let package = PackageID(member.key), let version = member.value.string.flatMap({ VersionString($0) })
            else { throw row.unreadable(start + 1) }
            versions[package] = version
        }
        self.init(id: id, versions: versions, isPlain: try row[start + 2])
    }
}
