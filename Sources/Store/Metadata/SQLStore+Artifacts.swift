package import Domain
package import Ground

extension SQLStore {
    package func patches(
        to versions: [VersionString], of package: PackageID, in app: AppID
    ) throws(PlatformError) -> [Artifact] {
        let list = JSON.array(versions.map { .string($0.text) })
        return try transaction { database in
            try database.artifacts(
                where: """
                    artifacts.package = \(try database.packageNumber(package, in: app)) AND artifacts.base IS NOT NULL
                    AND versions.version IN \(database.dialect.texts(in: list))
                    """
            ).map(\.artifact)
        }
    }

    package func addPatches(_ patches: [SignedArtifact], at now: Timestamp) throws(PlatformError) {
        guard let app = patches.first?.artifact.app else { return }
        try transaction { database in
            for patch in patches {
                try database.insert([BlobRecord(digest: patch.artifact.blob, size: patch.artifact.size)])
                try database.insert(patch, unlessThere: true)
            }
            try database.change(app, at: now)
        }
    }

    package func artifactsLackingSignature(by key: KeyID, of app: AppID) throws(PlatformError) -> [Artifact] {
        try transaction { database in
            try database.artifacts(
                where: """
                    packages.app = \(app) AND NOT EXISTS (
                        SELECT 1 FROM artifact_signatures JOIN keys ON keys.number = artifact_signatures.key
                        WHERE artifact = artifacts.number AND keys.app = \(app) AND keys.id = \(key)
                    )
                    """
            ).map(\.artifact)
        }
    }

    package func addSignatures(to artifacts: [SignedArtifact]) throws(PlatformError) {
        try transaction { database in
            for artifact in artifacts { try database.insert(artifact, unlessThere: true) }
        }
    }
}

extension Database {
    /// Returns artifacts with the numbers of their rows, in the order of creation.
    ///
    /// - Parameter condition: A condition on the tables `artifacts`, `packages`, `versions` and `bases`.
    func artifacts(where condition: SQL) throws -> [(number: Int64, artifact: Artifact)] {
        try rows(
            """
            SELECT packages.app, packages.id, versions.version, bases.version, artifacts.base_tree, artifacts.layout,
                artifacts.tree, artifacts.blob, artifacts.size, artifacts.md5, artifacts.recipe, artifacts.number,
                artifacts.kind
            FROM artifacts
            JOIN packages ON packages.number = artifacts.package
            JOIN versions ON versions.number = artifacts.version
            LEFT JOIN versions AS bases ON bases.number = artifacts.base
            WHERE \(condition) ORDER BY artifacts.number
            """
        ) { row in
            guard let form = Artifact.Form(kind: try row[12], base: try row[3], baseTree: try row[4]) else {
                throw row.unreadable(12)
            }
            let artifact = Artifact(
                app: try row[0], package: try row[1], version: try row[2], form: form, layout: try row[5],
                tree: try row[6], blob: try row[7], size: try row[8], md5: try row[9], recipe: try row[10])
            return (try row[11], artifact)
        }
    }

    /// Adds an artifact with its signatures.
    ///
    /// - Parameter unlessThere: Keeps an existing artifact of the same form and recipe, which clients may have
    ///   downloaded. Signatures that it lacks are added if the bytes are the same.
    func insert(_ signed: SignedArtifact, unlessThere: Bool) throws {
        let artifact = signed.artifact
        guard let package = try packageNumber(artifact.package, in: artifact.app),
            let version = try versionNumber(artifact.version, of: package)
        else { throw PlatformError.noVersion(artifact.version, of: artifact.package) }
        var base: Int64?
        if let name = artifact.base {
            base = try versionNumber(name, of: package)
            guard base != nil else { throw PlatformError.noVersion(name, of: artifact.package) }
        }
        try requireFiles(of: [version, base], artifact)
        if unlessThere {
            let known = try row(
                """
                SELECT number, blob FROM artifacts
                WHERE version = \(version) AND base IS NOT DISTINCT FROM \(base) AND layout = \(artifact.layout)
                    AND kind = \(artifact.kind) AND recipe = \(artifact.recipe)
                """
            ) { row in (number: try row[0] as Int64, blob: try row[1] as SHA256Digest) }
            if let known {
                if known.blob == artifact.blob { try insert(signed.signatures, of: known.number, in: artifact.app) }
                return
            }
        }
        let number = try inserted(
            """
            INSERT INTO artifacts (
                package, version, kind, base, base_tree, layout, tree, blob, size, md5, recipe
            ) VALUES (
                \(package), \(version), \(artifact.kind), \(base), \(artifact.baseTree), \(artifact.layout),
                \(artifact.tree), \(artifact.blob), \(artifact.size), \(artifact.md5), \(artifact.recipe)
            ) RETURNING number
            """)
        try insert(signed.signatures, of: number, in: artifact.app)
    }

    /// Throws `conflict` if the files of one of the versions were removed.
    private func requireFiles(of versions: [Int64?], _ artifact: Artifact) throws {
        for version in versions.compactMap({ $0 }) {
            let isPruned: Int? = try value("SELECT 1 FROM prunings WHERE version = \(version) AND \(SQL.isPruned)")
            guard isPruned == nil else {
                throw PlatformError(
                    .conflict,
                    "The files that \(artifact.fileName) was made from were removed meanwhile. Publish the version again."
                )
            }
        }
    }

    /// Adds signatures to an artifact, except by keys that have signed it already.
    fileprivate func insert(_ signatures: [Signature], of artifact: Int64, in app: AppID) throws {
        for signature in signatures {
            let key: Int64? = try value(
                """
                SELECT number FROM keys
                WHERE app = \(app) AND id = \(signature.keyID) AND purpose = \(signature.purpose)
                """)
            guard let key else {
                throw PlatformError(.keyNotFound, "\(app) has no \(signature.purpose) key \(signature.keyID).")
            }
            try execute(
                """
                INSERT INTO artifact_signatures (artifact, key, value)
                VALUES (\(artifact), \(key), \(signature.value)) ON CONFLICT DO NOTHING
                """)
        }
    }
}

extension Artifact.Form {
    /// Returns `nil` for a combination that no row holds.
    fileprivate init?(kind: Artifact.Kind, base: VersionString?, baseTree: SHA256Digest?) {
        switch (kind, base, baseTree) {
        case (.full, nil, nil): self = .full
        case (.files, let base?, let baseTree?): self = .files(base: base, baseTree: baseTree)
        case (.delta, let base?, let baseTree?): self = .delta(base: base, baseTree: baseTree)
        default: return nil
        }
    }
}

extension PlatformError {
    static func noVersion(_ version: VersionString, of package: PackageID) -> PlatformError {
        PlatformError(.versionNotFound, "There is no version \(version) of \(package).")
    }
}
