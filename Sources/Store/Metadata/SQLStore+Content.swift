package import Domain

extension SQLStore {
    package func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) throws(PlatformError) -> UnpackedItem? {
        try transaction { database in
            guard let package = try database.packageNumber(package, in: app),
                let number = try database.versionNumber(version, of: package)
            else { return nil }
            let entry = try database.row(
                """
                SELECT entry FROM versions WHERE number = \(number) AND EXISTS (
                    SELECT 1 FROM releases
                    WHERE app = \(app) AND version = \(number) AND package = \(package) AND channel = \(channel))
                """
            ) { (row: borrowing Row) -> TreePath? in try row[0] }
            guard let entry else { return nil }
            switch path.target(entry: entry) {
            case .nothing: return .nothing
            case .folder: return .folder
            case .page(let entry): return .page(entry)
            case .file(let file):
                if let file = try database.file(at: file, of: number) { return .file(file) }
                return try !path.endsInSlash && database.isFolder(file, of: number) ? .folder : .nothing
            }
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
                \(database.dialect.indexed(by: "files_by_name")) WHERE version = \(number) AND name = \(name)
                ORDER BY path LIMIT 1
                """
            ) { try TreeFile($0) }
        }
    }

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
}

extension Database {
    fileprivate func file(at path: TreePath, of version: Int64) throws -> TreeFile? {
        try row(
            """
            SELECT path, digest, size, crc32, deflated_digest, deflated_size FROM files
            WHERE version = \(version) AND path = \(path)
            """
        ) { try TreeFile($0) }
    }

    /// Whether any file lies under a path, between its slash and the byte after a slash.
    fileprivate func isFolder(_ path: TreePath, of version: Int64) throws -> Bool {
        let found: Int? = try value(
            """
            SELECT 1 FROM files
            WHERE version = \(version) AND path > \(path.text + "/") AND path < \(path.text + "0") LIMIT 1
            """)
        return found != nil
    }
}
