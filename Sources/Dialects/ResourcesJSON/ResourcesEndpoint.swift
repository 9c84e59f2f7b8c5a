import API
import Domain
import Execution
import Ground
import HTTP
import Platform

/// The endpoint of seed 004, `GET {base}/packages/{package}/resources.json?version=…` (clients.md §1.4).
///
/// It responds from prepared bytes.
final class ResourcesEndpoint: DialectEndpoint {
    /// The bytes of all cached responses, in all codings.
    static let keptBytes = 64 << 20

    private struct Key: Hashable {
        /// The number of the offer; see ``ResourceOffer/number``.
        let offer: UInt64
        /// The client's version; `nil` if it is not sent or unknown.
        let version: VersionString?
        /// The versions that the client's list named; empty if no patches follow from it.
        let listed: Set<ListedVersions>
    }

    private let services: Services
    private let blobURL: PublicURL
    private let patches: ResourcePatches
    /// The gate that lets one list of a package be made at a time; thousands of requests may arrive at a release's
    /// start.
    private let gate = KeyedGate<PackageKey, PeerAddress>(capacity: KeyedGate.waitingForList)
    private let unshared: ResponseBudget
    /// The pool that makes lists and text patches.
    private let work: WorkExecutor
    private let known = ReadyLists<Key>(budget: keptBytes)

    init(in context: DialectContext) {
        services = context.services
        // Cached lists are shared, so only lists that are made for one request are charged.
        unshared = context.unshared
        blobURL = context.blobURL
        patches = ResourcePatches(blobs: services.blobs)
        work = services.pools.makeDialectPool("larder.texts")
    }

    func addRoutes(to router: inout Router<APIEndpoint>) {
        for prefix in ClientBase.patterns {
            for path in ["/packages/{package}/resources.json", "/resources.json"] {
                router.addForPages(.get, prefix + path, services.log) { head, parameters throws(PlatformError) in
                    try self.respond(head, parameters)
                }
                router.addPreflight([.get, .head], prefix + path)
            }
        }
    }

    /// Decides a request for a package.
    ///
    /// Throws `notFound` if there is no offer, and `conflict` if the offer cannot be expressed in this dialect.
    ///
    /// - Parameter parameters: The parameters of the path; without a package they select the only one with the dialect.
    func respond(_ head: RequestHead, _ parameters: PathParameters) throws(PlatformError) -> Disposition {
        let base = try parameters.base()
        let package = try package(parameters, at: base)
        let offer = try offer(base, package)
        if let ready = known.respond(to: head, for: key(head, offer)) { return .prepared(ready) }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let packageKey = PackageKey(app: base.app, package: package)
                return try await gate.pass(packageKey, as: request.head) { () throws(PlatformError) in
                    // Read again, since the offer may have changed while this request waited.
                    let offer = try self.offer(base, package)
                    let key = self.key(request.head, offer)
                    if let ready = known.find(key) { return ready.respond(to: request.head).response }
                    let made = try await make(offer, for: key)
                    // A list made for this request stays in memory as long as the client reads it, so it is charged.
                    return try unshared.charge(made.respond(to: request.head).response, for: request.head)
                }
            }
        }
    }

    private func package(_ parameters: PathParameters, at base: ClientBase) throws(PlatformError) -> PackageID {
        if let package = parameters.package { return package }
        let app = try services.live.requireApp(base.app)
        let view = try app.requireView(at: base)
        guard !parameters.namesPackage else {
            throw view.nothingOnOffer(of: parameters.shownPackage, in: .resourcesJSON)
        }
        let packages = app.resources(of: base.channel).packages
        guard packages.count == 1, let only = packages.first else {
            throw PlatformError(
                .notFound,
                "\(packages.count) packages of '\(base.app)' have the dialect 'resources-json'; this URL has a list only "
                    + "if exactly one has it. Request 'packages/…/resources.json'.")
        }
        return only
    }

    private func offer(_ base: ClientBase, _ package: PackageID) throws(PlatformError) -> ResourceOffer {
        let app = try services.live.requireApp(base.app)
        let view = try app.requireView(at: base)
        guard let offer = app.resources(of: base.channel).byPackage[package] else {
            throw view.nothingOnOffer(of: package.text, in: .resourcesJSON)
        }
        return offer
    }

    private func key(_ head: RequestHead, _ offer: ResourceOffer) -> Key {
        var list = head.hasQuery ? head.query["version"].flatMap(ResourceConfigVersion.init) : nil
        if let asked = list?.version, !offer.knows(asked) { list = nil }
        var listed: Set<ListedVersions> = []
        if let list, offer.patches(from: list.version) {
            listed = services.live.resources.versions(of: list, for: offer)
        }
        return Key(offer: offer.number, version: list?.version, listed: listed)
    }

    private func make(_ offer: ResourceOffer, for key: Key) async throws(PlatformError) -> PreparedResource {
        let list: ResourceList
        do throws(ResourceRefusal) { list = try offer.list.get() } catch {
            throw PlatformError(.conflict, error.message, reason: PlatformError.dialectReason)
        }
        let held = try await services.live.resources.patchable(key.listed, for: offer)
        let made = await work.run { [held] in content(list, offer, held, for: key) }
        known.keep(made.resource, of: made.body, under: key)
        return made.resource
    }

    /// - Parameter held: The contents that patches may start from.
    private func content(
        _ list: ResourceList, _ offer: ResourceOffer, _ held: [ResourceID: SHA256Digest], for key: Key
    ) -> (resource: PreparedResource, body: CodedBody) {
        var patches: [ResourceList.Item.ID: ResourcePatch] = [:]
        if let version = key.version {
            patches = self.patches.patches(for: list, of: offer, from: version, held: held)
        }
        let (blobURL, hash) = (blobURL, services.cryptography)
        let body = list.json(
            ResourceList.Wording(
                timeFormat: offer.timeFormat, isMandatory: key.version.flatMap { offer.isMandatory(for: $0) },
                url: { blobURL.url(of: $0) }, patch: { [patches] in patches[$0.id] })
        ).bytes(escapingNonASCII: true)
        var fields: Fields = [.contentType: "application/json", .cacheControl: "no-cache"]
        CORS.add(to: &fields)
        let coded = CodedBody(body, by: services.compressor)
        return (PreparedResource(coded, etagName: hash.etagName(of: body), fields: fields), coded)
    }
}
