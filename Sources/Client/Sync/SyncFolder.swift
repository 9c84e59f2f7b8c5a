import Domain
import Files

/// The folder of a device's packages, and the client's own files beside them.
package struct SyncFolder: Sendable {
    /// The path of the folder; its packages are `<path>/<appId>`, and no package id begins with a dot.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    private var own: String { "\(path)/.larder" }
    var state: String { "\(own)/state.json" }
    /// The path of the last accepted `/config`.
    var config: String { "\(own)/config.json" }
    var lock: String { "\(own)/lock" }
    /// The folder of complete and partial downloads, named by digest.
    var downloads: String { "\(own)/downloads" }
    /// The folder of trees that are being built or removed; useless after a crash.
    package var staging: String { "\(own)/staging" }
    /// The folder of trees for scheduled versions.
    var prepared: String { "\(own)/prepared" }

    func copy(of package: PackageID) -> String { "\(path)/\(package)" }

    func appConfig(of package: PackageID) -> String { "\(copy(of: package))/\(TreePath.appConfig)" }

    func download(_ digest: SHA256Digest) -> String { "\(downloads)/\(digest.hex).part" }

    /// The packages that may have copies.
    var packages: [PackageID] {
        ((try? Disk.entries(path)) ?? []).compactMap(PackageID.init)
    }

    func make() throws(SystemError) {
        for folder in [downloads, staging, prepared] { try Disk.makeFolder(folder) }
    }

    /// Removes trees that a crash left unfinished.
    func sweep() throws(SystemError) {
        for name in try Disk.entries(staging) { try Folder.remove("\(staging)/\(name)") }
    }

    /// Returns the content of the copy's `app.config.json`; an unreadable file counts as broken.
    func localConfig(of package: PackageID) -> LocalConfig {
        do throws(SystemError) {
            return LocalConfig(try Disk.read(appConfig(of: package), limit: LocalConfig.maximumSize))
        } catch {
            return .unreadable
        }
    }
}
