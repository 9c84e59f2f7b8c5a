import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// Seed 003's `GET {base}/packages/{package}/info.json` (clients.md §1.3), from ready-made bytes.
final class InfoJSONEndpoint: Sendable {
    /// Answers that are kept, and bytes of each at most; longer lists of files are made anew for each request.
    static let keptAnswers = 64
    static let keptBytes = 256 << 10

    private let services: Services
    /// One at a time reads a version's files: a thousand devices may ask at the moment of a release.
    private let making = AsyncGate(width: 1)
    /// Right for as long as they are here: neither the version that a name carries nor that one's files ever change.
    private let known = Mutex(Generations<ReleaseArchiveName, PreparedResource>(capacity: keptAnswers))

    init(services: Services) {
        self.services = services
    }

    /// Throws `notFound` where there is nothing to tell: the clients then go by what they were told last (H1, H7).
    func answer(_ head: RequestHead, _ base: ClientBase, package: String) throws(PlatformError) -> Disposition {
        let view = try services.live.requireApp(base.app).requireView(at: base)
        let offer = try view.requireOffer(of: package, in: .infoJSON)
        if let ready = ready(offer) { return .prepared(ready.answer(to: head)) }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let resource = try await making.pass { () throws(PlatformError) in
                    if let ready = ready(offer) { return ready }
                    return try await makeResource(offer, of: base.app)
                }
                return resource.answer(to: request.head).response
            }
        }
    }

    private func ready(_ offer: DialectOffer) -> PreparedResource? {
        known.withLock { $0.find(offer.name) }
    }

    private func makeResource(
        _ offer: DialectOffer, of app: AppID
    ) async throws(PlatformError) -> PreparedResource {
        let name = offer.name
        guard let version = try await services.store.version(name.version, of: name.package, in: app) else {
            throw PlatformError(.notFound, "The files of \(name.version) of '\(name.package)' are no longer kept.")
        }
        let (services, hash) = (services, services.cryptography)
        let (resource, size) = try await services.work.run { () throws(PlatformError) in
            let body = try Self.body(of: version, named: name)
            var fields: Fields = [.contentType: "application/json", .cacheControl: "no-cache"]
            CORS.add(to: &fields)
            let coded = CodedBody(body, by: services.compressor)
            return (PreparedResource(coded, etagName: hash.etagName(of: body), fields: fields), body.count)
        }
        if size <= Self.keptBytes { known.withLock { $0.keep(resource, under: name) } }
        return resource
    }

    /// The names as they lie in the archive, sorted (H6).
    private static func body(
        of version: Version, named name: ReleaseArchiveName
    ) throws(PlatformError) -> [UInt8] {
        let files = try Layout.baseNames.placed(version.tree, of: name.package).files
        return JSON.object([
            "packageName": .string(name.fileName), "fileList": .array(files.map { .string($0.path.text) }),
        ]).bytes()
    }
}
