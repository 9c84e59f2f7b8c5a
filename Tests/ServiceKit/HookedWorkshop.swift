import Artifacts
package import Domain
import Synchronization

/// The program's workshop with a test's hook before it builds an archive, usually a wait.
package final class HookedWorkshop: PackageWorkshop {
    private let base = ZipWorkshop()
    private let beforeBuilding = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Sets the hook that runs before an archive is built; `nil` removes it.
    ///
    /// Runs on a work thread, which may block.
    package func setBeforeBuilding(_ hook: (@Sendable () -> Void)?) { beforeBuilding.withLock { $0 = hook } }

    package func buildZip(_ files: [TreeFile], into staging: any BlobStaging) throws(PlatformError) -> BuiltArchive {
        beforeBuilding.withLock { $0 }?()
        return try base.buildZip(files, into: staging)
    }

    package func unpack(
        zipAt path: String, limits: PackageLimits, into staging: any BlobStaging
    ) throws(PlatformError) -> Tree {
        try base.unpack(zipAt: path, limits: limits, into: staging)
    }

    package func stage(_ bytes: [UInt8], into staging: any BlobStaging) throws(PlatformError) -> FileContent {
        try base.stage(bytes, into: staging)
    }

    package func buildDelta(
        from base: Tree, to target: Tree, effort: DeltaEffort, timeLimit: Duration?, into staging: any BlobStaging
    ) throws(PlatformError) -> BuiltArchive? {
        try self.base.buildDelta(from: base, to: target, effort: effort, timeLimit: timeLimit, into: staging)
    }

    package func read(
        _ content: FileContent, from staging: any BlobStaging, upTo limit: Int
    ) throws(PlatformError) -> [UInt8] {
        try base.read(content, from: staging, upTo: limit)
    }

    package func beginning(
        of content: FileContent, from staging: any BlobStaging, upTo limit: Int
    ) throws(PlatformError) -> [UInt8] {
        try base.beginning(of: content, from: staging, upTo: limit)
    }
}
