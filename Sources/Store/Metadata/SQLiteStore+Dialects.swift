package import Domain

extension SQLiteStore {
    package func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) throws(PlatformError) -> Artifact? {
        try transaction { database in
            guard let package = try database.packageNumber(name.package, in: app),
                let number = try database.versionNumber(name.version, of: package)
            else { return nil }
            return try database.artifacts(
                where: """
                    artifacts.version = \(number) AND artifacts.base IS NULL AND layout = \(layout) AND EXISTS (
                        SELECT 1 FROM releases WHERE id = \(name.release) AND version = \(number)
                            AND package = \(package) AND channel = \(channel))
                    """
            ).first?.1
        }
    }

    package func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) throws(PlatformError) -> TreeFile? {
        try transaction { database in
            guard let number = try database.versionNumber(version, of: package, in: app) else { return nil }
            return try database.row(
                """
                SELECT path, digest, size, crc32, deflated_digest, deflated_size FROM files
                INDEXED BY files_by_name WHERE version = \(number) AND name = \(name) LIMIT 1
                """
            ) { try TreeFile($0) }
        }
    }
}
