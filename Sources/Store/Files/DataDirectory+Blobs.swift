package import Domain
import Files
import Glibc
import Ground

/// The file `blobs.location`, which states that the blobs of a data directory are in a bucket.
extension DataDirectory {
    private static let locationName = "blobs.location"
    /// The limit on the bytes of the file.
    private static let locationLimit = 4_096

    /// Returns the location of the blobs of a data directory; `nil` if they are in the directory.
    package static func blobLocation(in path: String) throws(PlatformError) -> String? {
        do throws(SystemError) {
            let bytes = try RegularFile("\(path)/\(locationName)").descriptor.read(upTo: locationLimit)
            return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        } catch {
            if error.number == ENOENT { return nil }
            throw PlatformError(storing: error)
        }
    }

    /// Throws `conflict` if the directory was served with its blobs in a bucket.
    package func requireLocalBlobs() throws(PlatformError) {
        guard let location = try Self.blobLocation(in: path) else { return }
        throw PlatformError(.conflict, Self.elsewhere(path, location))
    }

    /// Returns the sentence for a command that needs the blobs in the directory.
    package static func elsewhere(_ path: String, _ location: String) -> String {
        "The files of \(path) are in the bucket \(location). Give --blobs \(location)."
    }

    /// Throws `conflict` unless the blobs of the directory are at this location.
    package func requireBlobs(at location: String) throws(PlatformError) {
        let former = try Self.blobLocation(in: path)
        guard former == location else {
            throw PlatformError(
                .conflict,
                former.map { Self.elsewhere(path, $0) }
                    ?? "The files of \(path) are in the directory itself. Leave out --blobs.")
        }
    }

    /// Throws `conflict` if the blobs are in another bucket, or if the directory contains blobs itself.
    func requireNoBlobs(besides location: String) throws(PlatformError) {
        if let former = try Self.blobLocation(in: path) {
            guard former != location else { return }
            throw PlatformError(
                .conflict,
                "\(Self.elsewhere(path, former)) If all objects were copied to \(location), remove the file "
                    + "\(path)/\(Self.locationName) and start again.")
        }
        try PlatformError.storing(on: path) {
            let folders = BlobFolders(root: path)
            for name in BlobFolders.shards {
                let shard = folders.shard(name)
                guard access(shard, F_OK) == 0, try !Folder.entries(shard).isEmpty else { continue }
                throw PlatformError(
                    .conflict,
                    "\(path) contains the files of a server without --blobs. Start it without --blobs, or give another "
                        + "data directory.")
            }
        }
    }

    /// Records that the blobs are in a bucket.
    func setBlobLocation(_ location: String) throws(PlatformError) {
        guard try Self.blobLocation(in: path) == nil else { return }
        try PlatformError.storing(on: path) {
            let temporary = "\(path)/\(Self.locationName).new"
            let file = try FileDescriptor.ofOwnFile(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            try file.writeAll(Array("\(location)\n".utf8))
            try file.sync()
            let target = "\(path)/\(Self.locationName)"
            try SystemError.check("renaming", temporary) { rename(temporary, target) }
            try Folder.sync(path)
        }
    }
}
