import Domain
import Ground
import HTTP
import Platform

/// The route that searches the objects of an app by a text.
struct SearchRoute {
    /// The numbers of bytes that the text may have.
    static let textLengths = 1...100
    /// The number of objects of each kind that a response may have.
    static let limit = PageLimit(sizes: 1...20, standard: 8)

    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let services = routes.services
        let routes = routes
        routes.add(
            .get, "/apps/{app}/search", .viewer, to: &router, parameters: ["text", PageLimit.parameter]
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let text = try Self.text(call.request.head.query)
            let limit = try Self.limit.read(call.request.head.query)
            let (packages, _) = try await services.catalogue.packages(of: app, PackageQuery(text: text, limit: limit))
            let versions = try await services.versions.versions(beginningWith: text, of: app, limit: limit)
            let found = try await services.releaser.releases(of: app, ReleaseQuery(text: text, limit: limit))
            let lists = try await services.deviceLists.deviceLists(of: app)
            return .json(
                .ok,
                .object([
                    "packages": .array(packages.map(Self.json)), "versions": .array(versions.map(Self.json)),
                    "releases": .array(found.releases.map { Self.json($0, found.open.state(of: $0)) }),
                    "deviceLists": .array(
                        lists.lazy.filter { $0.name.text.contains(text.lowercased()) }.prefix(limit)
                            .map { .object(["name": .string($0.name.text), "devices": .integer(Int64($0.count))]) }),
                ]))
        }
    }

    private static func text(_ query: Query) throws(PlatformError) -> String {
        guard let text = query["text"], textLengths.contains(text.utf8.count) else {
            throw JSONReader.wrong("text", "\(textLengths.lowerBound) to \(textLengths.upperBound) bytes long")
        }
        return text
    }

    private static func json(_ package: Package) -> JSON {
        .object(["id": .string(package.id.text), "name": .string(package.name)])
    }

    private static func json(_ found: FoundVersion) -> JSON {
        .object([
            "package": .string(found.package.text), "version": .string(found.version.text),
            "publishedAt": .string(found.publishedAt.rfc3339),
        ])
    }

    private static func json(_ release: Release, _ state: ReleaseState) -> JSON {
        .object([
            "package": .string(release.package.text), "release": .integer(release.id.value),
            "version": .string(release.version.text), "channel": .string(release.channel.text),
            "state": .string(state.rawValue), "neverBegan": release.neverBegan ? true : nil,
        ])
    }
}
