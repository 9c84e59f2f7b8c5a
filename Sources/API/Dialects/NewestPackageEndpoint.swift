import Domain
import Ground
import HTTP
import Platform

/// Seed 002's `POST /getNewestPackage`, and `GET /@` (clients.md §1.2).
struct NewestPackageEndpoint {
    /// Bytes of a request; a package id takes 64.
    static let bodyLimit = 16 << 10

    let services: Services
    let publicURL: PublicURL
    /// Whose newest archive is at `/@`.
    let packageAt: PackageID?

    /// Takes the body for JSON, whatever it calls itself.
    ///
    /// Throws `notFound` where there is nothing to tell: these clients look at the status alone (O1, O10).
    func answer(_ request: Request, _ base: ClientBase) async throws(PlatformError) -> Response {
        let app = try services.live.requireApp(at: base)
        let body: [UInt8]
        do throws(BodyError) { body = try await request.body.collect(upTo: Self.bodyLimit) } catch {
            throw error.platformError
        }
        guard let id = JSON(parsing: body)?["packageId"]?.string else {
            throw PlatformError(
                .invalidRequest, "The body is not JSON that names a package: send {\"packageId\": \"…\"}.")
        }
        // After the body has come: what is on offer now.
        let offer = try app.requireView(at: base).requireOffer(of: id, in: .newestPackage)
        return .json(
            .ok,
            .object([
                "version": .string(offer.name.version.text),
                "path": .string(publicURL.url(of: offer.archive, named: offer.name)),
            ]))
    }

    /// The newest archive of the one package that the server was told of: all that the client as it was published asks
    /// for (O5).
    func newest(_ head: RequestHead) throws(PlatformError) -> Response {
        guard let packageAt else {
            throw PlatformError(
                .notFound, "No package is at '/@': start the server with --newest-package-at to have one there.")
        }
        let view = try services.live.requireApp(ClientBase.root.app).requireView(at: .root)
        let offer = try view.requireOffer(of: packageAt.text, in: .newestPackage)
        return try UnpackedFiles(blobs: services.blobs).archive(head, offer.archive.blob, .current)
    }
}
