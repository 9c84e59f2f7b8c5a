import Artifacts
import Domain
import Files

/// The copy of a package as the base of a delta patch.
struct CopiedBase: DeltaBase {
    let tree: Tree
    /// The folder that corresponds to the root of an archive.
    let path: String

    func bytes(of file: TreeFile) throws(PlatformError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try Disk.read("\(path)/\(file.path)", limit: DeltaLimits.frameBytes)
        } catch { throw PlatformError(error) }
        guard let bytes, bytes.count == file.content.size else {
            throw PlatformError(.storageFailed, "The copy was changed while it was updated: \(file.path).")
        }
        return bytes
    }
}

/// The folder in which a delta patch builds the new tree; it is not in use yet, and nothing is synced.
struct DeltaTarget: DeltaResult {
    let root: String
    /// The folder of the copy whose files are linked.
    let base: String

    mutating func copy(_ file: TreeFile, to path: TreePath) throws(PlatformError) {
        do throws(SystemError) {
            try Disk.link("\(base)/\(file.path)", to: try destination(path))
        } catch { throw PlatformError(error) }
    }

    mutating func write(_ bytes: ArraySlice<UInt8>, to path: TreePath) throws(PlatformError) {
        do throws(SystemError) {
            try Disk.write(Array(bytes), toNew: try destination(path))
        } catch { throw PlatformError(error) }
    }

    private func destination(_ path: TreePath) throws(SystemError) -> String {
        let destination = "\(root)/\(path)"
        try Disk.makeFolder(Disk.parent(of: destination))
        return destination
    }
}
