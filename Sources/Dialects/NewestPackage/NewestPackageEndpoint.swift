import API
import Domain
import Ground
import HTTP
import Platform

/// The endpoints of seed 002: `POST /getNewestPackage` and `GET /@` (clients.md §1.2).
struct NewestPackageEndpoint: DialectEndpoint {
    /// The limit on the bytes of a request; a package id takes 64.
    static let bodyLimit = 16 << 10

    let services: Services
    let blobURL: PublicURL
    /// The package whose newest archive is at `/@`.
    let packageAt: PackageID?

    func addRoutes(to router: inout Router<APIEndpoint>) {
        let endpoint = self
        let log = services.log
        for prefix in ClientBase.patterns {
            router.addForPages(.post, prefix + "/getNewestPackage", log) { _, parameters throws(PlatformError) in
                let base = try parameters.base()
                return .handle(bodyLimit: Self.bodyLimit) { request in
                    await readable(log) { () throws(PlatformError) in try await endpoint.respond(request, base) }
                }
            }
            router.addPreflight([.post], prefix + "/getNewestPackage")
        }
        router.addForPages(.get, "/@", log) { head, _ throws(PlatformError) in try endpoint.newest(head) }
        router.addPreflight([.get, .head], "/@")
    }

    /// Responds to a body that is parsed as JSON, whatever its `Content-Type`.
    ///
    /// Throws `notFound` if there is no offer: these clients check only the status (O1, O10).
    func respond(_ request: Request, _ base: ClientBase) async throws(PlatformError) -> Response {
        let app = try services.live.requireApp(at: base)
        let body: [UInt8]
        do throws(BodyError) { body = try await request.body.collect(upTo: Self.bodyLimit) } catch {
            throw error.platformError
        }
        guard let id = JSON(parsing: body)?["packageId"]?.string else {
            throw PlatformError(
                .invalidRequest, "The body is not a JSON object with a package id. Send {\"packageId\": \"…\"}.")
        }
        // Read after the body has arrived, so that the offer is current.
        let view = try app.requireView(at: base)
        guard let package = PackageID(id) else {
            throw view.nothingOnOffer(of: ShownText.of(id.utf8), in: .newestPackage)
        }
        let offer = try view.requireOffer(of: package, in: NewestPackageDialect())
        return .json(
            .ok,
            .object([
                "version": .string(offer.name.version.text),
                "path": .string(blobURL.url(of: offer.archive, named: offer.name)),
            ]))
    }

    /// Responds with the newest archive of the configured package, the only request of the client as published (O5).
    func newest(_ head: RequestHead) throws(PlatformError) -> Disposition {
        guard let packageAt else {
            throw PlatformError(
                .notFound, "The server serves no package at '/@'. Start it with --newest-package-at to select one.")
        }
        let view = try services.live.requireApp(ClientBase.root.app).requireView(at: .root)
        let offer = try view.requireOffer(of: packageAt, in: NewestPackageDialect())
        return try UnpackedFiles(services).decide(head, .archive(offer.archive.blob), .current)
    }
}
