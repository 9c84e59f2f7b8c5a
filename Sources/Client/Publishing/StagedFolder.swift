package import Domain
import Files
import Glibc

/// A scratch copy of the files of a folder that are published, made of hard links where the file system permits.
package struct StagedFolder {
    private let scratch: ScratchFolder
    /// The number of files.
    package private(set) var files = 0
    /// The bytes of all files.
    package private(set) var bytes = 0
    /// The largest file.
    package private(set) var largest: (path: String, bytes: Int)?

    /// The limit on nested folders, deeper than any package may be.
    private static let maximumDepth = 64
    private static let pieceSize = 1 << 20

    package var path: String { "\(scratch.path)/files" }

    /// Stages a folder; the caller calls ``remove()``, also after an error of a later step.
    ///
    /// - Parameters:
    ///   - ignored: The patterns of the paths that are left out.
    ///   - settings: The text that replaces `larder.json` at the root; `nil` to leave that file out.
    package init(of folder: String, ignoring ignored: [PathGlob], settings: [UInt8]?) throws(FileFailure) {
        do throws(SystemError) { scratch = try ScratchFolder() } catch { throw FileFailure(error) }
        do throws(SystemError) {
            try Disk.makeFolder(path)
            try stage(folder, under: "", depth: 0, ignored)
            if let settings { try Disk.write(settings, toNew: "\(path)/\(TreePath.ownSettings)") }
        } catch {
            scratch.remove()
            throw FileFailure(error)
        }
    }

    package func remove() { scratch.remove() }

    private mutating func stage(
        _ folder: String, under prefix: String, depth: Int, _ ignored: [PathGlob]
    ) throws(SystemError) {
        guard depth < Self.maximumDepth else { throw SystemError(number: ELOOP, action: "listing", path: folder) }
        for name in try Folder.entries(folder).sorted() {
            let (source, relative) = ("\(folder)/\(name)", prefix + name)
            guard relative != TreePath.ownSettings.text, !Self.isIgnored(relative, ignored) else { continue }
            let target = "\(path)/\(relative)"
            if case .folder? = try Disk.kind(of: source) {
                try Disk.makeFolder(target)
                try stage(source, under: relative + "/", depth: depth + 1, ignored)
            } else {
                try add(source, as: target, relative)
            }
        }
    }

    /// Returns whether a pattern matches a path or a folder above it.
    private static func isIgnored(_ path: String, _ ignored: [PathGlob]) -> Bool {
        guard let path = try? TreePath(path) else { return false }
        return ignored.contains { $0.matches(path) }
    }

    private mutating func add(_ source: String, as target: String, _ relative: String) throws(SystemError) {
        if link(source, target) != 0 {
            // A copy would follow a symbolic link out of the folder.
            guard case .file? = try Disk.kind(of: source) else {
                throw SystemError(number: EINVAL, action: "publishing", path: source)
            }
            try Self.copy(source, to: target)
        }
        guard case .file(let size)? = try Disk.kind(of: target) else { return }
        files += 1
        bytes += size
        if size > largest?.bytes ?? -1 { largest = (relative, size) }
    }

    /// Copies a file, for a folder on another file system.
    private static func copy(_ source: String, to target: String) throws(SystemError) {
        let file = try RegularFile(source)
        let copy = try FileDescriptor(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: Disk.fileMode)
        var offset = 0
        while offset < file.size {
            let piece = try file.read(at: offset, upTo: min(pieceSize, file.size - offset))
            guard !piece.isEmpty else { return }
            try copy.writeAll(piece)
            offset += piece.count
        }
    }
}
