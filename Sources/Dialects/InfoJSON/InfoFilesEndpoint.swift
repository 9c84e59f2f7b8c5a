import API
import Domain
import Execution
import Ground
import HTTP
import Platform
import Synchronization

/// The endpoint of the files beside seed 003's `info.json`: archives of releases, and the current version's files
/// (clients.md H2–H5).
final class InfoFilesEndpoint: Sendable {
    /// The numbers of cached archives and files; an entry takes a few hundred bytes.
    static let rememberedArchives = 256
    static let rememberedFiles = 4096

    private struct ArchiveKey: Hashable {
        let app: AppID
        let channel: ChannelName
        let fileName: String
    }

    private struct FileKey: Hashable {
        let app: AppID
        let package: PackageID
        let version: VersionString
        let name: TreePath
    }

    private let services: Services
    private let files: UnpackedFiles
    private let isolation: UnpackedFiles.Isolation
    private let lookups: LookupQueue
    // The cached entries stay correct: neither a release's version nor a version's files ever change.
    private let knownArchives = Mutex(Generations<ArchiveKey, SHA256Digest>(capacity: rememberedArchives))
    private let knownFiles = Mutex(Generations<FileKey, TreeFile>(capacity: rememberedFiles))

    init(services: Services, isolation: UnpackedFiles.Isolation, lookups: LookupQueue) {
        self.services = services
        self.lookups = lookups
        self.isolation = isolation
        files = UnpackedFiles(services)
    }

    /// Responds with the archive of a release, even if `info.json` names another one or none.
    ///
    /// A client that has read the name may request the archive later (clients.md G10).
    func archive(
        _ head: RequestHead, _ base: ClientBase, _ name: ReleaseArchiveName
    ) throws(PlatformError) -> Disposition {
        let view = try services.live.requireApp(base.app).requireView(at: base)
        let key = ArchiveKey(app: base.app, channel: base.channel, fileName: name.fileName)
        if let blob = view.archive(of: name) ?? knownArchives.withLock({ $0.find(key) }) {
            return try files.decide(head, .archive(blob), .fixed)
        }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let archive = try await lookups.pass(for: request.head) { () throws(PlatformError) in
                    try await services.content.archive(of: name, in: .baseNames, on: base.channel, of: base.app)
                }
                guard let blob = archive?.blob else {
                    throw PlatformError(
                        .notFound,
                        "No archive has this name, or it was removed. Request 'info.json' for the current name.")
                }
                knownArchives.withLock { $0.keep(blob, under: key) }
                return try await files.respond(request.head, .archive(blob), .fixed)
            }
        }
    }

    /// Responds with a file of the version that a device without facts gets, by the last part of the path.
    ///
    /// The clients' own handler uses only that part (H5). An empty path and a path that ends in a slash lead to
    /// `index.html`.
    func file(_ head: RequestHead, _ base: ClientBase, _ parameters: PathParameters) -> Disposition {
        do throws(PlatformError) {
            let key = try key(base, parameters)
            if let file = knownFiles.withLock({ $0.find(key) }) {
                return try files.decide(head, .file(file), .current, isolation: isolation)
            }
            return .handle(bodyLimit: 0) { [self] request in
                let response = await respondingToErrors(services.log) { () throws(PlatformError) in
                    try await files.respond(
                        request.head, .file(try await find(key, for: request.head)), .current)
                }
                return isolation.applied(to: response)
            }
        } catch {
            return .respond(isolation.applied(to: error.response(log: services.log)))
        }
    }

    private func key(_ base: ClientBase, _ parameters: PathParameters) throws(PlatformError) -> FileKey {
        let view = try services.live.requireApp(base.app).requireView(at: base)
        guard let entry = parameters.package.flatMap({ view.entry(of: $0) }),
            entry.package.dialects.contains(.infoJSON), let current = entry.current
        else { throw view.nothingOnOffer(of: parameters.shownPackage, in: .infoJSON) }
        let path = parameters.rest ?? ""
        let last =
            path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? path.utf8[...]
        let name = last.isEmpty ? TreePath.index : try? TreePath(validating: last)
        guard let name else { throw Self.noFile(current.downloads.version.version, entry.package.id) }
        return FileKey(
            app: base.app, package: entry.package.id, version: current.downloads.version.version, name: name)
    }

    private func find(_ key: FileKey, for head: RequestHead) async throws(PlatformError) -> TreeFile {
        let file = try await lookups.pass(for: head) { () throws(PlatformError) in
            try await services.content.file(named: key.name, of: key.version, of: key.package, in: key.app)
        }
        // Missing files are not cached: clients can invent any number of names.
        guard let file else { throw Self.noFile(key.version, key.package) }
        knownFiles.withLock { $0.keep(file, under: key) }
        return file
    }

    private static func noFile(_ version: VersionString, _ package: PackageID) -> PlatformError {
        PlatformError(.notFound, "\(version) of '\(package)' has no file of this name.")
    }
}

extension ChannelView {
    /// Returns the base-name archive of the offered release if it has this name.
    fileprivate func archive(of name: ReleaseArchiveName) -> SHA256Digest? {
        guard let current = entry(of: name.package)?.current,
            ReleaseArchiveName(of: current.release, haltChanges: current.downloads.haltChanges) == name
        else { return nil }
        return current.downloads.version.archives[.baseNames]?.blob
    }
}
