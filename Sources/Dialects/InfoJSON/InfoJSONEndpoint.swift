import API
import Domain
import Execution
import Ground
import HTTP
import Platform

/// The endpoint of seed 003, `GET {base}/packages/{package}/info.json` (clients.md §1.3), from prepared bytes.
final class InfoJSONEndpoint: Sendable {
    /// The bytes of all cached responses, in all codings.
    static let keptBytes = 16 << 20

    private let services: Services
    /// The gate that lets one request at a time read the files of a package; thousands may arrive at a release's start.
    private let gate = KeyedGate<PackageKey, PeerAddress>(capacity: KeyedGate.waitingForList)
    private let unshared: ResponseBudget
    /// The pool that makes lists; separate from that of publishing, which uncached lists would occupy.
    private let work: WorkExecutor
    /// The cached lists; they stay correct because the named version and its files never change.
    private let known = ReadyLists<ReleaseArchiveName>(budget: keptBytes)

    init(in context: DialectContext) {
        services = context.services
        // Cached lists are shared, so only lists that are made for one request are charged.
        unshared = context.unshared
        work = services.pools.makeDialectPool("larder.lists")
    }

    /// Decides a request.
    ///
    /// Throws `notFound` if there is no offer: the clients then keep what they have (H1, H7).
    func respond(_ head: RequestHead, _ parameters: PathParameters) throws(PlatformError) -> Disposition {
        let base = try parameters.base()
        let view = try services.live.requireApp(base.app).requireView(at: base)
        guard let package = parameters.package else {
            throw view.nothingOnOffer(of: parameters.shownPackage, in: .infoJSON)
        }
        let offer = try view.requireOffer(of: package, in: InfoJSONDialect())
        if let ready = known.respond(to: head, for: offer.name) { return .prepared(ready) }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let key = PackageKey(app: base.app, package: offer.name.package)
                return try await gate.pass(key, as: request.head) { () throws(PlatformError) in
                    if let ready = known.find(offer.name) { return ready.respond(to: request.head).response }
                    let made = try await makeResource(offer.name, of: base.app)
                    // A list made for this request stays in memory as long as the client reads it, so it is charged.
                    return try unshared.charge(made.respond(to: request.head).response, for: request.head)
                }
            }
        }
    }

    private func makeResource(
        _ name: ReleaseArchiveName, of app: AppID
    ) async throws(PlatformError) -> PreparedResource {
        guard let version = try await services.content.version(name.version, of: name.package, in: app) else {
            throw PlatformError(.notFound, "The files of \(name.version) of '\(name.package)' were removed.")
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

    /// Returns the document with the file names of the archive, sorted (H6).
    private static func body(
        of version: Version, named name: ReleaseArchiveName
    ) throws(PlatformError) -> [UInt8] {
        let files = try Layout.baseNames.placed(version.tree, of: name.package).files
        return JSON.object([
            "packageName": .string(name.fileName), "fileList": .array(files.map { .string($0.path.text) }),
        ]).bytes()
    }
}
