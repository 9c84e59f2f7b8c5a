package import Domain

extension SQLStore {
    package func archives(
        of version: VersionString, of package: PackageID, in app: AppID
    ) throws(PlatformError) -> [SignedArtifact] {
        try transaction { database in
            let number = try database.versionNumber(version, of: package, in: app)
            let condition: SQL = "artifacts.version = \(number) AND artifacts.base IS NULL"
            let signatures = try database.signatures(where: condition)
            return try database.artifacts(where: condition).map { number, artifact in
                SignedArtifact(artifact: artifact, signatures: signatures[number] ?? [])
            }
        }
    }

    package func addArchive(
        _ archive: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            let artifact = archive.artifact
            let number = try database.versionNumber(artifact.version, of: artifact.package, in: artifact.app)
            let known: Int64? = try database.value(
                """
                SELECT number FROM artifacts
                WHERE version = \(number) AND base IS NULL AND layout = \(artifact.layout)
                """)
            guard known == nil else { return }
            try database.insert(blobs.filter { $0.digest == artifact.blob })
            try database.insert(archive, unlessThere: true)
            try database.append(audit)
        }
    }
}
