import Artifacts
import Domain

/// The properties of every file that a publisher may upload as a package.
public enum ZipProbe {
    static let limits: PackageLimits = {
        var limits = PackageLimits()
        limits.fileCount = 16
        limits.fileBytes = 64 << 10
        limits.totalBytes = 128 << 10
        limits.compressionRatio = 50
        limits.ratioFloor = 1_024
        return limits
    }()

    /// Returns the violated property of the input, or `nil` if all hold.
    public static func finding(in input: [UInt8]) -> String? {
        do {
            let folder = try ScratchFolder()
            let staging = ScratchStaging(folder)
            let path = try folder.write(input, to: "upload.zip")
            let tree: Tree
            do throws(PlatformError) {
                tree = try unpack(path, into: staging)
            } catch {
                return error.code == .badPackage && error.reason?.isEmpty == false ? nil : "refused with \(error)"
            }
            return try finding(in: tree, folder, staging)
        } catch {
            return "\(error)"
        }
    }

    private static func unpack(_ path: String, into staging: ScratchStaging) throws(PlatformError) -> Tree {
        try ZipWorkshop().unpack(zipAt: path, limits: limits, into: staging)
    }

    private static func finding(in tree: Tree, _ folder: ScratchFolder, _ staging: ScratchStaging) throws -> String? {
        guard (1...limits.fileCount).contains(tree.files.count) else { return "\(tree.files.count) files" }
        guard tree.totalSize <= limits.totalBytes else { return "\(tree.totalSize) bytes" }
        for file in tree.files {
            let size = try staging.bytes(of: file.content.digest).count
            guard size == file.content.size, size <= limits.fileBytes else { return "\(file) of \(size) bytes" }
            guard let path = try? TreePath(file.path.text), path == file.path else { return "the path of \(file)" }
        }
        // Larder accepts the zip that it writes.
        let built = try ZipWorkshop().buildZip(tree.files, into: staging)
        let again = try unpack(staging.path(of: built.digest), into: staging)
        return again == tree ? nil : "\(tree) and not \(again)"
    }
}
