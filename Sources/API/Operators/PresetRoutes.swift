import Domain
import Ground
import HTTP
import Platform

/// The routes of presets: the versions that a build of the app ships, and the zip that contains them.
struct PresetRoutes {
    let routes: OperatorRoutes

    private static let list = ObjectList<Preset>(
        sorts: [
            .init("-createdAt") { [.number($0.createdAt.milliseconds), .text($0.build.text)] },
            .init("appVersion") { [.text($0.build.text)] },
        ],
        filters: [
            .text { [$0.build.text] },
            .init("package") { (text) throws(PlatformError) in
                let package = try NameKind.package.read(text)
                return { $0.versions[package] != nil }
            },
        ])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let (services, publicURL) = (routes.services, routes.publicURL)
        let pattern = "/apps/{app}/presets"
        routes.add(.get, pattern, .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let presets = try await services.presets.presets(of: try routes.app(call.parameters))
            return try Self.list.respond("presets", presets, to: call, Self.json)
        }
        routes.add(.post, pattern, .releaser, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            guard let build = try body.string("appVersion").flatMap(VersionString.init) else {
                throw JSONReader.wrong("appVersion", "the version of the app's build: \(VersionString.shape)")
            }
            let channel = try NameKind.channel.read(try body.string("channel") ?? ChannelName.production.text)
            let versions = try body.take("packages").map { json throws(PlatformError) in try Self.versions(json) }
            try body.finish()
            let (preset, isNew) = try await services.presets.make(
                for: build, shipping: versions, elseOf: channel, in: app, by: call.author)
            return Self.respond(isNew ? .created : .ok, preset, routes)
        }
        routes.add(.get, pattern + "/{build}", .viewer, to: &router) { call throws(PlatformError) in
            Self.respond(.ok, try await Self.preset(call, routes), routes)
        }
        routes.add(.delete, pattern + "/{build}", .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let preset = try await services.presets.remove(
                try call.parameters.read(.presetBuild), of: try routes.app(call.parameters),
                ifMatch: call.precondition, by: call.author)
            return .json(.ok, Self.json(preset))
        }
        routes.add(
            .get, pattern + "/{build}/archive", .viewer, to: &router, parameters: ["format", "packages", "channel"]
        ) { call throws(PlatformError) in
            let preset = try await Self.preset(call, routes)
            let zip = try await services.presetPacker.pack(preset, try Self.content(call.request.head.query)) {
                publicURL.url(of: $0)
            }
            let region = FileRegion(descriptor: zip.descriptor, owner: zip, offset: 0, count: zip.size)
            return Response(
                .ok,
                fields: [
                    .contentType: "application/zip", .cacheControl: "no-store", .contentTypeOptions: "nosniff",
                    .contentDisposition: "attachment",
                ], body: .file(region))
        }
    }

    private static func respond(_ status: Status, _ preset: Preset, _ routes: OperatorRoutes) -> Response {
        .json(status, json(preset), tag: preset.tag(by: routes.services.cryptography))
    }

    private static func preset(
        _ call: OperatorRoutes.Call, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> Preset {
        let build = try call.parameters.read(.presetBuild)
        return try await routes.services.presets.requirePreset(of: build, in: try routes.app(call.parameters))
    }

    private static func versions(_ json: JSON) throws(PlatformError) -> [PackageID: VersionString] {
        var versions: [PackageID: VersionString] = [:]
        for member in json.members ?? [] {
            guard let package = PackageID(member.key), let version = member.value.string.flatMap(VersionString.init)
            else { throw JSONReader.wrong("packages", "an object of package ids and version strings") }
            versions[package] = version
        }
        guard !versions.isEmpty else {
            throw JSONReader.wrong("packages", "an object of package ids and version strings")
        }
        return versions
    }

    private static func content(_ query: Query) throws(PlatformError) -> PresetPacker.Content {
        switch query["format"] {
        case nil, "complete": return .complete
        case "seed":
            return .seed(besides: try packages(query))
        case "resources":
            let packages = try packages(query)
            guard packages.count <= 1 else {
                throw PlatformError(
                    .invalidRequest, "The format 'resources' holds one package. Give one in 'packages'.")
            }
            let channel = try NameKind.channel.read(query["channel"] ?? ChannelName.production.text)
            return .resources(of: packages.first, on: channel)
        default:
            throw PlatformError(
                .invalidRequest,
                "'format' must be complete (all packages, the index and the keys), seed (the package 'base', for clients "
                    + "of seed 000) or resources (one package, for clients of the dialect 'resources-json').")
        }
    }

    private static func packages(_ query: Query) throws(PlatformError) -> Set<PackageID> {
        var packages: Set<PackageID> = []
        for text in (query["packages"] ?? "").split(separator: ",") {
            guard let package = PackageID(String(text)) else {
                throw PlatformError(.invalidRequest, "'\(text)' is not a package id: \(PackageID.shape).")
            }
            packages.insert(package)
        }
        return packages
    }

    private static func json(_ preset: Preset) -> JSON {
        .object([
            "appVersion": .string(preset.build.text), "createdAt": .string(preset.createdAt.rfc3339),
            "packages": .object(
                preset.versions.sorted { $0.key < $1.key }.map { JSON.Member($0.key.text, .string($0.value.text)) }),
        ])
    }
}
