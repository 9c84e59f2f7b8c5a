import Domain
import Files

/// The folder that a device's packages lie in, and what the client keeps beside them.
package struct SyncFolder: Sendable {
    /// Its packages are `<path>/<appId>`; no package id begins with a dot.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    private var own: String { "\(path)/.larder" }
    var state: String { "\(own)/state.json" }
    /// The last `/config` that was taken.
    var config: String { "\(own)/config.json" }
    var lock: String { "\(own)/lock" }
    /// Downloads, whole and begun, by digest.
    var downloads: String { "\(own)/downloads" }
    /// Trees being built or taken away; of no use after a crash.
    package var staging: String { "\(own)/staging" }
    /// Trees that wait for their moment.
    var prepared: String { "\(own)/prepared" }

    func copy(of package: PackageID) -> String { "\(path)/\(package)" }

    func appConfig(of package: PackageID) -> String { "\(copy(of: package))/\(TreePath.appConfig)" }

    func download(_ digest: SHA256Digest) -> String { "\(downloads)/\(digest.hex).part" }

    /// The packages that there may be copies of.
    var packages: [PackageID] {
        ((try? Disk.entries(path)) ?? []).compactMap(PackageID.init)
    }

    func make() throws(SystemError) {
        for folder in [downloads, staging, prepared] { try Disk.makeFolder(folder) }
    }

    /// Removes what a crash left half done.
    func sweep() throws(SystemError) {
        for name in try Disk.entries(staging) { try Folder.remove("\(staging)/\(name)") }
    }

    /// What the copy's `app.config.json` says; a file that cannot be read counts as broken.
    func localConfig(of package: PackageID) -> LocalConfig {
        do throws(SystemError) {
            return LocalConfig(try Disk.read(appConfig(of: package), limit: LocalConfig.maximumSize))
        } catch {
            return .unreadable
        }
    }
}
