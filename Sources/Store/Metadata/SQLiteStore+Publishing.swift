package import Domain

extension SQLiteStore {
    package func publish(
        _ version: Version, _ details: VersionDetails, findings: LintResult, identity: SHA256Digest,
        full: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            guard let package = try database.packageNumber(version.package, in: version.app) else {
                throw PlatformError(.packageNotFound, "There is no package \(version.package) in \(version.app).")
            }
            let taken: VersionString? = try database.value(
                "SELECT version FROM versions WHERE package = \(package) AND folded = \(version.version.folded)")
            if let taken {
                throw PlatformError(
                    .versionExists, "\(version.package) has a version \(taken) already, and versions never change.")
            }
            try database.insert(blobs)
            let number = try database.insert(version, of: package, identity: identity)
            for file in version.tree.files { try database.insert(file, of: number) }
            try database.insert(details, findings, of: number)
            try database.insert(full, unlessThere: false)
            try database.append(audit)
        }
    }
}

extension Database {
    fileprivate func insert(_ version: Version, of package: Int64, identity: SHA256Digest) throws -> Int64 {
        let fileMap = version.uploaded.fileMap.map { JSON.Member($0.key, .string($0.target)) }
        return try inserted(
            """
            INSERT INTO versions (
                package, version, folded, tree_hash, identity, entry, url_prefix, app_config, file_map, file_count,
                total_size, created_at
            ) VALUES (
                \(package), \(version.version), \(version.version.folded), \(version.treeHash), \(identity),
                \(version.entry), \(version.urlPrefix), \(JSON.object(version.uploaded.appConfig)),
                \(JSON.object(fileMap)), \(version.tree.files.count), \(version.tree.totalSize), \(version.createdAt)
            ) RETURNING number
            """)
    }

    fileprivate func insert(_ file: TreeFile, of version: Int64) throws {
        let content = file.content
        try execute(
            """
            INSERT INTO files (version, path, digest, size, crc32, deflated_digest, deflated_size)
            VALUES (
                \(version), \(file.path), \(content.digest), \(content.size), \(content.crc32),
                \(content.deflated?.digest), \(content.deflated?.size)
            )
            """)
    }
}
