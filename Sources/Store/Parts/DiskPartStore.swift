package import Domain
import Files
import Glibc
package import Ground

/// The store of partial uploads on the local disk: `uploads/<id>` has the bytes, `uploads/<id>.json` the description.
///
/// An upload exists if its description does: that is created last and removed first.
package final class DiskPartStore: PartStore {
    private let folder: String

    private static let descriptionSuffix = ".json"
    /// The further suffix of a description that is being written.
    private static let unfinishedSuffix = ".new"
    /// The maximum length of a description in bytes; those of this store are shorter.
    private static let maximumDescriptionLength = 64 << 10

    /// Creates the folder `uploads` in a data directory, which the caller owns, if it is missing.
    ///
    /// Throws `storageFull` or `storageFailed`. Blocks.
    package init(directory: String) throws(PlatformError) {
        folder = "\(directory)/uploads"
        try PlatformError.storing {
            try Folder.make(folder, mode: DataDirectory.folderMode)
            try Folder.sync(directory)
        }
    }

    package func path(of id: UploadID) -> String { "\(folder)/\(id)" }

    private func descriptionPath(of id: UploadID) -> String { path(of: id) + Self.descriptionSuffix }

    package func all() throws(PlatformError) -> [StoredPart] {
        try PlatformError.storing {
            let names = try Folder.entries(folder)
            var parts: [UploadID: StoredPart] = [:]
            for name in names where name.hasSuffix(Self.descriptionSuffix) {
                guard let id = UploadID(String(name.dropLast(Self.descriptionSuffix.count))) else { continue }
                parts[id] = try part(id)
            }
            // Files with other names do not belong to this store.
            for name in names {
                guard let id = Self.id(ofFile: name), parts[id] == nil || name.hasSuffix(Self.unfinishedSuffix) else {
                    continue
                }
                try Folder.remove("\(folder)/\(name)")
            }
            return Array(parts.values)
        }
    }

    /// Returns the upload that a file of this name belongs to.
    private static func id(ofFile name: String) -> UploadID? {
        for suffix in [descriptionSuffix + unfinishedSuffix, descriptionSuffix] where name.hasSuffix(suffix) {
            return UploadID(String(name.dropLast(suffix.count)))
        }
        return UploadID(name)
    }

    /// Reads a stored upload; returns `nil` if its files are invalid.
    private func part(_ id: UploadID) throws(SystemError) -> StoredPart? {
        let description = try RegularFile(descriptionPath(of: id))
        let bytes = try description.read(at: 0, upTo: Self.maximumDescriptionLength)
        guard let json = JSON(parsing: bytes), let upload = PartialUpload(id, json) else { return nil }
        do throws(SystemError) {
            let file = try FileDescriptor(path(of: id), O_RDONLY)
            let (size, writtenAt) = try file.measure()
            guard size <= upload.length else { return nil }
            // An earlier process may have been killed before this sync, and clients learn of these bytes now.
            try file.syncData()
            return StoredPart(upload: upload, size: size, savedAt: Timestamp(milliseconds: writtenAt))
        } catch  where error.number == ENOENT {
            return nil
        }
    }

    package func make(_ upload: PartialUpload, at now: Timestamp) throws(PlatformError) {
        try PlatformError.storing {
            let file = try FileDescriptor(path(of: upload.id), O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            do {
                try file.setTimes(now.milliseconds)
                try file.sync()
                try write(upload.description.bytes(), to: descriptionPath(of: upload.id))
            } catch {
                try? remove(upload.id)
                throw error
            }
        }
    }

    /// Writes a description atomically.
    private func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let temporary = path + Self.unfinishedSuffix
        let file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        do throws(SystemError) {
            try file.writeAll(bytes)
            try file.syncData()
            try SystemError.check("renaming", temporary) { rename(temporary, path) }
        } catch {
            try? Folder.remove(temporary)
            throw error
        }
        try Folder.sync(folder)
    }

    package func open(_ id: UploadID, at offset: Int) throws(PlatformError) -> any PartFile {
        try PlatformError.storing { try DiskPartFile(path(of: id), at: offset) }
    }

    package func remove(_ id: UploadID) throws(PlatformError) {
        try PlatformError.storing {
            try Folder.remove(descriptionPath(of: id))
            try Folder.remove(path(of: id))
        }
    }
}

extension PartialUpload {
    /// The description that is stored beside the bytes.
    fileprivate var description: JSON {
        .object([
            "length": .integer(Int64(length)), "owner": owner.map(Self.json),
            "metadata": metadata.map { .string($0) },
        ])
    }

    fileprivate init?(_ id: UploadID, _ json: JSON) {
        guard let length = json["length"]?.integer, length >= 0 else { return nil }
        let token = json["owner"]?.integer.map { Principal.token($0) }
        let owner = token ?? json["owner"]?.string.flatMap { Principal($0) }
        self.init(id: id, owner: owner, length: Int(length), metadata: json["metadata"]?.string)
    }

    /// Returns a token as its number, as earlier versions store it.
    private static func json(_ owner: Principal) -> JSON {
        guard case .token(let id) = owner else { return .string(owner.text) }
        return .integer(id)
    }
}
