import Domain
import Execution
import Ground
import HTTP
import Platform

/// Seed 003's `GET {base}/packages/{package}/info.json` (clients.md §1.3), from ready-made bytes.
final class InfoJSONEndpoint: Sendable {
    /// Bytes of all answers that are kept, in all codings.
    static let keptBytes = 16 << 20

    private let services: Services
    /// One request at a time reads the files of a package: a thousand devices may ask at the moment of a release.
    private let making = KeyedGate<PackageKey, PeerAddress>(capacity: KeyedGate.waitingForList)
    private let unshared: ResponseBudget
    /// Apart from publishing, whose threads lists that are not cached would take.
    private let work = WorkExecutor(label: "larder.lists", threads: 1)
    /// Neither the version that a name carries nor that one's files ever change.
    private let known = ReadyLists<ReleaseArchiveName>(budget: keptBytes)

    /// - Parameter unshared: The budget of lists that are made for a request; those from the cache are shared.
    init(services: Services, unshared: ResponseBudget) {
        self.services = services
        self.unshared = unshared
    }

    /// Throws `notFound` where there is nothing to tell: the clients then go by what they were told last (H1, H7).
    func answer(_ head: RequestHead, _ base: ClientBase, package: String) throws(PlatformError) -> Disposition {
        let view = try services.live.requireApp(base.app).requireView(at: base)
        let offer = try view.requireOffer(of: package, in: .infoJSON)
        if let ready = known.answer(to: head, for: offer.name) { return .prepared(ready) }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let place = PackageKey(app: base.app, package: offer.name.package)
                return try await making.pass(place, as: request.head) { () throws(PlatformError) in
                    if let ready = known.find(offer.name) { return ready.answer(to: request.head).response }
                    let made = try await makeResource(offer.name, of: base.app)
                    // Lists that are made for it, read slowly and made again would stay in memory otherwise.
                    return try unshared.charge(made.answer(to: request.head).response, for: request.head)
                }
            }
        }
    }

    private func makeResource(
        _ name: ReleaseArchiveName, of app: AppID
    ) async throws(PlatformError) -> PreparedResource {
        guard let version = try await services.catalogue.version(name.version, of: name.package, in: app) else {
            throw PlatformError(.notFound, "The files of \(name.version) of '\(name.package)' are no longer kept.")
        }
        let (services, hash) = (services, services.cryptography)
        let (resource, coded) = try await work.run { () throws(PlatformError) in
            let body = try Self.body(of: version, named: name)
            var fields: Fields = [.contentType: "application/json", .cacheControl: "no-cache"]
            CORS.add(to: &fields)
            let coded = CodedBody(body, by: services.compressor)
            return (PreparedResource(coded, etagName: hash.etagName(of: body), fields: fields), coded)
        }
        known.keep(resource, of: coded, under: name)
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

extension KeyedGate where Key == PackageKey, Client == PeerAddress {
    /// The requests for lists of one package that may wait.
    static var waitingForList: Int { 1 << 16 }

    /// Runs `body` when it is the client's turn, or throws `busy` if too many wait.
    func pass(
        _ package: PackageKey, as head: RequestHead, _ body: () async throws(PlatformError) -> Response
    ) async throws(PlatformError) -> Response {
        guard let response = try await pass(package, as: head.client.customer, body) else {
            throw PlatformError(.busy, "Too many clients wait for lists of this package: try again in a moment.")
        }
        return response
    }
}

/// A package among those of all apps.
struct PackageKey: Hashable, Sendable {
    let app: AppID
    let package: PackageID
}
