import Domain
import Ground
import HTTP
import Platform

/// The routes of a version's full archives: listing them and making one with another layout.
struct ArchiveRoutes {
    let routes: OperatorRoutes

    private static let list = ObjectList<SignedArtifact>(
        sorts: [.init("layout") { [.text($0.artifact.layout.rawValue)] }])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let publicURL = routes.publicURL
        let pattern = "/apps/{app}/packages/{package}/versions/{version}/archives"
        routes.add(.get, pattern, .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let archives = try await routes.services.archives.requireArchives(
                of: try call.parameters.read(.version(of: package.id)), of: package)
            return try Self.list.respond("archives", archives, to: call) { Self.json($0, publicURL) }
        }
        routes.add(.put, pattern + "/{layout}", .publisher, to: &router) { call throws(PlatformError) in
            try await call.json().finish()
            let package = try await routes.package(call.parameters)
            let layout = try call.parameters.readNew(.layout)
            let (archive, isNew) = try await routes.services.archives.archive(
                of: try call.parameters.read(.version(of: package.id)), of: package, in: layout, by: call.author)
            return .json(isNew ? .created : .ok, Self.json(archive, publicURL))
        }
    }

    private static func json(_ signed: SignedArtifact, _ publicURL: PublicURL) -> JSON {
        let artifact = signed.artifact
        return .object([
            "layout": .string(artifact.layout.rawValue), "url": .string(publicURL.url(of: artifact)),
            "size": .integer(Int64(artifact.size)), "sha256": .string(artifact.blob.hex),
            "tree": .string(artifact.tree.hex),
            "signature": signed.signatures.first { $0.purpose == .legacy }.map { .string(Base64.encode($0.value)) },
            "signatures": signed.ed25519JSON,
        ])
    }
}
