import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// `GET {base}/online/{package}/{version}/{path}`: the files of a released version, unpacked (decision 0016).
final class OnlineEndpoint: Sendable {
    /// What stands for the version that the channel offers now.
    static let current = "current"
    /// Paths that are remembered with what lies there, at most; a few hundred bytes each.
    static let rememberedPaths = 4096

    /// A path of a version that is released on a channel.
    private struct Place: Hashable {
        let base: ClientBase
        let package: PackageID
        let version: VersionString
        let path: UnpackedPath
    }

    private let services: Services
    private let files: UnpackedFiles
    private let isolation: UnpackedFiles.Isolation
    private let lookups: LookupQueue
    /// Right for as long as they are here: no version ever changes, and what was released once stays here.
    private let known = Mutex(Generations<Place, UnpackedItem>(capacity: rememberedPaths))

    init(services: Services, isolation: UnpackedFiles.Isolation, lookups: LookupQueue) {
        self.services = services
        self.lookups = lookups
        files = UnpackedFiles(blobs: services.blobs)
        self.isolation = isolation
    }

    /// Answers on the event loop where the path was asked for lately, else once the store has been asked.
    ///
    /// - Parameter path: What follows the version and a slash; `nil` where no slash does.
    func answer(_ head: RequestHead, _ parameters: PathParameters, path: String?) -> Disposition {
        do throws(PlatformError) {
            let caching: UnpackedFiles.Caching = parameters["version"] == Self.current ? .current : .fixed
            let place = try place(parameters, path: path)
            if let item = known.withLock({ $0.find(place) }) {
                return .respond(isolation.applied(to: try answer(head, item, at: place, caching)))
            }
            return .handle(bodyLimit: 0) { [self] request in
                let response = await answering(services.log) { () throws(PlatformError) in
                    try answer(request.head, try await find(place, for: request.head), at: place, caching)
                }
                return isolation.applied(to: response)
            }
        } catch {
            return .respond(isolation.applied(to: error.response(log: services.log)))
        }
    }

    private func place(_ parameters: PathParameters, path: String?) throws(PlatformError) -> Place {
        let base = try parameters.base()
        let view = try services.live.requireApp(base.app).requireView(of: base.channel)
        let name = parameters["version"] ?? ""
        guard let package = PackageID(parameters["package"] ?? ""),
            let version = name == Self.current ? view.currentVersion(of: package) : VersionString(name)
        else { throw notReleased(name, parameters["package"] ?? "", base) }
        // Names that somebody made up do not get as far as the store.
        guard view.entry(of: package)?.released.contains(version) == true else {
            throw notReleased(name, package.text, base)
        }
        guard let path = path.map({ UnpackedPath($0) }) ?? .version else { throw noFile(version, package) }
        return Place(base: base, package: package, version: version, path: path)
    }

    private func find(_ place: Place, for head: RequestHead) async throws(PlatformError) -> UnpackedItem {
        let item = try await lookups.pass(for: head) { () throws(PlatformError) in
            try await services.store.unpackedItem(
                at: place.path, of: place.version, of: place.package, on: place.base.channel, in: place.base.app)
        }
        guard let item else { throw notReleased(place.version.text, place.package.text, place.base) }
        // What is not there is not remembered: there is no end of it.
        if item != .nothing { known.withLock { $0.keep(item, under: place) } }
        return item
    }

    private func answer(
        _ head: RequestHead, _ item: UnpackedItem, at place: Place, _ caching: UnpackedFiles.Caching
    ) throws(PlatformError) -> Response {
        switch item {
        case .file(let file): return try files.answer(head, file, caching)
        case .folder: return redirect(head, to: head.lastSegment + "/", caching)
        case .page(let page):
            return redirect(head, to: page.parts.map { $0.utf8.percentEncoded }.joined(separator: "/"), caching)
        case .nothing:
            guard place.path == .root else { throw noFile(place.version, place.package) }
            throw PlatformError(
                .notFound,
                "\(place.version) of '\(place.package)' has no entry page: name one of its files after the slash.")
        }
    }

    /// Leads on relative to the path asked for, as a proxy in front may have put something before it.
    private func redirect(_ head: RequestHead, to path: String, _ caching: UnpackedFiles.Caching) -> Response {
        Response(
            .permanentRedirect,
            fields: [.location: "./\(path)\(head.querySuffix)", .cacheControl: caching.rawValue])
    }

    private func notReleased(_ version: String, _ package: String, _ base: ClientBase) -> PlatformError {
        let shown = ShownText.of(version.utf8)
        let what = version == Self.current ? "no version is current" : "there is no version '\(shown)'"
        return PlatformError(
            .notFound,
            "Of '\(ShownText.of(package.utf8))' \(what) on the channel '\(base.channel)': release one there first.")
    }

    private func noFile(_ version: VersionString, _ package: PackageID) -> PlatformError {
        PlatformError(.notFound, "\(version) of '\(package)' has no file at this path.")
    }
}

extension ChannelView {
    fileprivate func currentVersion(of package: PackageID) -> VersionString? {
        entry(of: package)?.current?.version.version
    }
}

extension RequestHead {
    /// What follows the last slash of the path, as it came.
    fileprivate var lastSegment: String {
        let path = bytes[pathRange]
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex
        return String(decoding: path[start...], as: UTF8.self)
    }
}
