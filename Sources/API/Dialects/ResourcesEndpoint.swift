import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// Seed 004's `GET {base}/packages/{package}/resources.json?version=…` (clients.md §1.4), from ready-made bytes.
final class ResourcesEndpoint: Sendable {
    /// Answers that are kept, and bytes of each at most; longer ones are made anew for each request.
    static let keptAnswers = 128
    static let keptBytes = 512 << 10

    private struct Key: Hashable {
        let app: AppID
        let channel: ChannelName
        let package: PackageID
        /// What the client has; `nil` where it does not say, or nothing is known of it.
        let version: VersionString?
        /// What the client's list named; empty where no patches follow from it.
        let listed: Set<ListedVersions>
    }

    private struct Answer {
        let offer: ResourceOffer
        let resource: PreparedResource
    }

    private let services: Services
    private let publicURL: PublicURL
    private let patches: ResourcePatches
    /// One at a time is made: a thousand devices may ask at the moment of a release.
    private let making = AsyncGate(width: 1)
    private let work = WorkExecutor(label: "larder.texts", threads: 1)
    /// Each is good for as long as the same is told.
    private let known = Mutex(Generations<Key, Answer>(capacity: keptAnswers))

    init(services: Services, publicURL: PublicURL) {
        self.services = services
        self.publicURL = publicURL
        patches = ResourcePatches(blobs: services.blobs)
    }

    /// Answers for a package, or for the only one of the app that has the dialect.
    ///
    /// Throws `notFound` where there is nothing to tell, `conflict` where what is on offer cannot be told.
    ///
    /// - Parameter package: `nil` for the only one.
    func answer(
        _ head: RequestHead, _ base: ClientBase, package: String?
    ) throws(PlatformError) -> Disposition {
        let (package, offer) = try offer(base, package)
        let key = key(head, base, package, offer)
        if let ready = ready(key, offer) { return .prepared(ready.answer(to: head)) }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let resource = try await making.pass { () throws(PlatformError) in
                    // What is told by now.
                    let (package, offer) = try self.offer(base, package.text)
                    let key = self.key(head, base, package, offer)
                    if let ready = ready(key, offer) { return ready }
                    return try await make(offer, for: key)
                }
                return resource.answer(to: request.head).response
            }
        }
    }

    private func offer(
        _ base: ClientBase, _ package: String?
    ) throws(PlatformError) -> (PackageID, ResourceOffer) {
        let app = try services.live.requireApp(base.app)
        let view = try app.requireView(at: base)
        let offers = app.resources(of: base.channel)
        if package == nil, offers.packages.count != 1 {
            throw PlatformError(
                .notFound,
                "\(offers.packages.count) packages of '\(base.app)' have the dialect 'resources-json', and only where it is "
                    + "one is there a list at this URL: ask for 'packages/…/resources.json'.")
        }
        let id = package.map { PackageID($0) } ?? offers.packages.first
        guard let id, let offer = offers.byPackage[id] else {
            throw view.nothingOnOffer(of: package ?? id?.text ?? "", in: .resourcesJSON)
        }
        return (id, offer)
    }

    private func key(
        _ head: RequestHead, _ base: ClientBase, _ package: PackageID, _ offer: ResourceOffer
    ) -> Key {
        var list = head.hasQuery ? head.query["version"].flatMap(ResourceConfigVersion.init) : nil
        if let asked = list?.version, !offer.knows(asked) { list = nil }
        var listed: Set<ListedVersions> = []
        if let list, offer.patches(from: list.version) {
            listed = services.live.resources.versions(of: list, for: offer)
        }
        return Key(
            app: base.app, channel: base.channel, package: package, version: list?.version, listed: listed)
    }

    private func ready(_ key: Key, _ offer: ResourceOffer) -> PreparedResource? {
        let answer = known.withLock { $0.find(key) }
        return answer.flatMap { $0.offer === offer ? $0.resource : nil }
    }

    private func make(_ offer: ResourceOffer, for key: Key) async throws(PlatformError) -> PreparedResource {
        let list: ResourceList
        do throws(ResourceRefusal) { list = try offer.list.get() } catch {
            throw PlatformError(.conflict, error.message, reason: PlatformError.dialectReason)
        }
        let held = try await services.live.resources.patchable(key.listed, for: offer)
        let made = await work.run { [held] in content(list, offer, held, for: key) }
        if made.size <= Self.keptBytes {
            known.withLock { $0.keep(Answer(offer: offer, resource: made.resource), under: key) }
        }
        return made.resource
    }

    /// - Parameter held: The contents that patches may be made from.
    private func content(
        _ list: ResourceList, _ offer: ResourceOffer, _ held: [ResourceID: SHA256Digest], for key: Key
    ) -> (resource: PreparedResource, size: Int) {
        var patches: [ResourceList.Item.ID: ResourcePatch] = [:]
        if let version = key.version {
            patches = self.patches.patches(for: list, of: offer, from: version, held: held)
        }
        let (publicURL, hash) = (publicURL, services.cryptography)
        let body = list.json(
            ResourceList.Wording(
                timeFormat: offer.timeFormat, isMandatory: key.version.flatMap { offer.isMandatory(for: $0) },
                url: { publicURL.url(of: $0) }, patch: { [patches] in patches[$0.id] })
        ).bytes(escapingNonASCII: true)
        var fields: Fields = [.contentType: "application/json", .cacheControl: "no-cache"]
        CORS.add(to: &fields)
        let coded = CodedBody(body, by: services.compressor)
        return (PreparedResource(coded, etagName: hash.etagName(of: body), fields: fields), body.count)
    }
}

extension PublicURL {
    /// Where the bytes of a resource are; its file's name, which never means two contents, ends the URL (clients.md P7).
    func url(of item: ResourceList.Item) -> String {
        "\(text)/blobs/\(item.resource.digest)/\(item.resource.id.fileName(item.number))"
    }
}
