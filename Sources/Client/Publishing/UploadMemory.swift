import Artifacts
import Domain
import Ground

/// The unfinished uploads of this account, so that a later run of `larder publish` continues them (decision 0018).
///
/// Each upload is a file, named by a digest of the server and of the bytes, with the id of the upload. A lost or damaged
/// file costs an upload from the beginning, nothing else.
package struct UploadMemory: Sendable {
    private let folder: String
    private let clock: any ClientClock

    /// The number of uploads that are remembered; the file that was written longest ago is forgotten first.
    static let maximumUploads = 32
    private static let limit = 256

    /// - Parameter folder: The folder of the files, which is created if it is missing.
    package init(folder: String, clock: any ClientClock = SystemClientClock()) {
        self.folder = folder
        self.clock = clock
    }

    /// The place of an upload in the memory.
    struct Entry: Sendable {
        fileprivate let path: String
    }

    func entry(of zip: SHA256Digest, at server: String) -> Entry {
        let digest = OpenSSLCryptography().sha256(Array("\(server)\n\(zip.hex)".utf8))
        return Entry(path: "\(folder)/\(digest.hex)")
    }

    /// Returns the id of a remembered upload.
    func upload(_ entry: Entry) -> UploadID? {
        let bytes = try? LocalFile.read(entry.path, upTo: Self.limit)
        let words = bytes.map { String(decoding: $0, as: UTF8.self).split(separator: " ").map(String.init) }
        return words?.last.flatMap { UploadID($0) }
    }

    /// Remembers an upload; a failure is ignored, since it only costs a later run time.
    func remember(_ id: UploadID, _ entry: Entry) {
        makeRoom()
        try? LocalFile.replacePrivate(entry.path, with: Array("\(clock.wall().milliseconds) \(id)".utf8))
    }

    func forget(_ entry: Entry) { LocalFile.remove(entry.path) }

    private func makeRoom() {
        let names = LocalFile.names(in: folder)
        guard names.count >= Self.maximumUploads else { return }
        let ages = names.map { name -> (name: String, time: Int64) in
            let bytes = (try? LocalFile.read("\(folder)/\(name)", upTo: Self.limit)) ?? []
            let time = String(decoding: bytes, as: UTF8.self).split(separator: " ").first.flatMap { Int64($0) }
            return (name, time ?? 0)
        }
        for age in ages.sorted(by: { $0.time < $1.time }).prefix(names.count - Self.maximumUploads + 1) {
            LocalFile.remove("\(folder)/\(age.name)")
        }
    }
}
