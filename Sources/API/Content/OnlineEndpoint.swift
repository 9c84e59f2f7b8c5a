import Domain
import Execution
import Ground
import HTTP
import Platform
import Synchronization

/// The endpoint of unpacked files: `GET {base}/online/{package}/{version}/{path}` (decision 0016).
///
/// It serves the files of released versions only.
final class OnlineEndpoint: Sendable {
    /// The path segment that stands for the version that the channel offers now.
    static let current = "current"
    /// The maximum number of cached paths; an entry takes a few hundred bytes.
    static let rememberedPaths = 4096

    /// A path in a version that is released on a channel.
    private struct Location: Hashable {
        let base: ClientBase
        let package: PackageID
        let version: VersionString
        let path: UnpackedPath
    }

    private let services: Services
    private let files: UnpackedFiles
    private let isolation: UnpackedFiles.Isolation
    private let lookups: LookupQueue
    /// The cached items; they stay correct because versions never change and a released version stays released.
    private let known = Mutex(Generations<Location, UnpackedItem>(capacity: rememberedPaths))

    init(services: Services, isolation: UnpackedFiles.Isolation, lookups: LookupQueue) {
        self.services = services
        self.lookups = lookups
        files = UnpackedFiles(services)
        self.isolation = isolation
    }

    /// Decides a request: on the event loop for a recently requested path, otherwise in a task that reads the store.
    func respond(_ head: RequestHead, _ parameters: PathParameters) -> Disposition {
        do throws(PlatformError) {
            let caching: UnpackedFiles.Caching = parameters.valid(.online) == .current ? .current : .fixed
            let location = try location(parameters)
            if let item = known.withLock({ $0.find(location) }) {
                guard case .file(let file) = item else {
                    return .respond(isolation.applied(to: try respond(head, item, at: location, caching)))
                }
                return try files.decide(head, .file(file), caching, isolation: isolation)
            }
            return .handle(bodyLimit: 0) { [self] request in
                let response = await respondingToErrors(services.log) { () throws(PlatformError) in
                    let item = try await find(location, for: request.head)
                    guard case .file(let file) = item else {
                        return try respond(request.head, item, at: location, caching)
                    }
                    return try await files.respond(request.head, .file(file), caching)
                }
                return isolation.applied(to: response)
            }
        } catch {
            return .respond(isolation.applied(to: error.response(log: services.log)))
        }
    }

    private func location(_ parameters: PathParameters) throws(PlatformError) -> Location {
        let base = try parameters.base()
        let view = try services.live.requireApp(base.app).requireView(of: base.channel)
        // Invented names never reach the store.
        guard let package = parameters.valid(.package), let entry = view.entry(of: package),
            let version = parameters.valid(.online)?.version(of: entry), entry.released.contains(version)
        else { throw notReleased(parameters.shown(.online), parameters.shown(.package), base) }
        // Without a slash after the version there is no rest.
        guard let path = parameters.rest.map({ UnpackedPath($0) }) ?? .version else { throw noFile(version, package) }
        return Location(base: base, package: package, version: version, path: path)
    }

    private func find(_ location: Location, for head: RequestHead) async throws(PlatformError) -> UnpackedItem {
        let item = try await lookups.pass(for: head) { () throws(PlatformError) in
            try await services.content.unpackedItem(
                at: location.path, of: location.version, of: location.package, on: location.base.channel,
                in: location.base.app)
        }
        guard let item else {
            throw notReleased(ShownText.of(location.version.text.utf8), location.package.text, location.base)
        }
        // Missing paths are not cached: clients can invent any number of them.
        if item != .nothing { known.withLock { $0.keep(item, under: location) } }
        return item
    }

    /// Responds with an item that is no file.
    private func respond(
        _ head: RequestHead, _ item: UnpackedItem, at location: Location, _ caching: UnpackedFiles.Caching
    ) throws(PlatformError) -> Response {
        switch item {
        case .file: preconditionFailure("files are sent by UnpackedFiles")
        case .folder: return redirect(head, to: head.lastSegment + "/", caching)
        case .page(let page):
            return redirect(
                head, to: page.parts.map { PercentEncoding.encode($0.utf8) }.joined(separator: "/"), caching)
        case .nothing:
            guard location.path == .root else { throw noFile(location.version, location.package) }
            throw PlatformError(
                .notFound,
                "\(location.version) of '\(location.package)' has no entry page. Give the path of one of its files after the slash."
            )
        }
    }

    /// Redirects relative to the requested path, since a proxy may have added a prefix.
    private func redirect(_ head: RequestHead, to path: String, _ caching: UnpackedFiles.Caching) -> Response {
        Response(
            .permanentRedirect,
            fields: [.location: "./\(path)\(head.querySuffix)", .cacheControl: caching.rawValue])
    }

    private func notReleased(_ version: String, _ package: String, _ base: ClientBase) -> PlatformError {
        let what = version == Self.current ? "no current version" : "no released version '\(version)'"
        return PlatformError(
            .notFound,
            "'\(package)' has \(what) on the channel '\(base.channel)'. Release one there first.")
    }

    private func noFile(_ version: VersionString, _ package: PackageID) -> PlatformError {
        PlatformError(.notFound, "\(version) of '\(package)' has no file at this path.")
    }
}

/// The version segment of an online path.
private enum OnlineVersion: Equatable {
    /// The version that the channel offers now.
    case current
    case version(VersionString)

    func version(of entry: ChannelView.Entry) -> VersionString? {
        switch self {
        case .current: entry.current?.downloads.version.version
        case .version(let version): version
        }
    }
}

extension NameKind where Value == OnlineVersion {
    fileprivate static var online: Self {
        Self(placeholder: "version", notFound: .notFound) {
            $0 == OnlineEndpoint.current ? .current : VersionString($0).map { .version($0) }
        } fault: {
            "'\($0)' is not a version string: \(VersionString.shape)."
        }
    }
}

extension RequestHead {
    /// The part of the path after its last slash, as received.
    fileprivate var lastSegment: String {
        let path = bytes[pathRange]
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex
        return String(decoding: path[start...], as: UTF8.self)
    }
}
