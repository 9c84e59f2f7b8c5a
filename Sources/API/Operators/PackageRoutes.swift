import Domain
import Execution
import Ground
import HTTP
import Platform

/// The routes of packages: their settings.
struct PackageRoutes {
    let routes: OperatorRoutes

    private static let sorts = ["id", "name"]

    private static let filters = ["text", "channel", "flight", "online"]

    private static func query(_ request: ListRequest, text: String?) throws(PlatformError) -> PackageQuery {
        let order: PackageQuery.Order = request.sort.name == "name" ? .name : .id
        let after =
            switch order {
            case .id: try request.texts(1).map { PackageQuery.Position(name: "", id: $0[0]) }
            case .name: try request.texts(2).map { PackageQuery.Position(name: $0[0], id: $0[1]) }
            }
        return PackageQuery(
            text: text, order: order, isDescending: request.sort.isDescending, after: after, limit: request.limit)
    }

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(
            .get, "/apps/{app}/packages", .viewer, to: &router,
            parameters: ListRequest.parameters(filters: Self.filters)
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let request = try ListRequest(call.request.head, sorts: Self.sorts)
            let (parameters, open) = (call.request.head.query, routes.services.releaser.openReleases(of: app))
            let channel = try Self.channel(parameters, of: app)
            var query = try Self.query(request, text: parameters["text"])
            if try Self.isSet("flight", parameters) {
                guard let channel else {
                    throw PlatformError(.invalidRequest, "'flight' needs a channel. Give it in 'channel'.")
                }
                query.among = open.packagesInFlight(on: channel)
            }
            if try Self.isSet("online", parameters) { query.onlineAt = open.instant }
            let (packages, hasMore) = try await routes.services.catalogue.packages(of: app, query)
            var fields = Fields()
            if hasMore, let last = packages.last {
                fields[.link] = request.link(
                    after: query.order == .id ? [.text(last.id.text)] : [.text(last.name), .text(last.id.text)])
            }
            guard let channel else {
                return .json(.ok, .object(["packages": .array(packages.map(Self.json))]), fields: fields)
            }
            let counts = try await routes.services.versions.publishedCounts(of: packages.map(\.id), in: app)
            let list = packages.map { package in
                let json = PackageChannelJSON(
                    package: package, channel: channel, open: open, published: counts[package.id])
                return JSON.object(Self.members(package) + [.init("onChannel", json.json)])
            }
            return .json(.ok, .object(["packages": .array(list)]), fields: fields)
        }
        routes.add(.delete, "/apps/{app}/packages/{package}", .releaser, to: &router, hasTag: true) {
            call throws(PlatformError) in
            let package = try await routes.services.catalogue.deletePackage(
                try call.parameters.read(.package), of: try routes.app(call.parameters), ifMatch: call.precondition,
                by: call.author)
            return .json(.ok, Self.json(package))
        }
        routes.add(.get, "/apps/{app}/packages/{package}", .viewer, to: &router) { call throws(PlatformError) in
            Self.respond(.ok, try await routes.package(call.parameters), routes)
        }
        routes.add(
            .put, "/apps/{app}/packages/{package}", .publisher, to: &router, hasTag: true
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let id = try call.parameters.readNew(.package)
            var body = try await call.json()
            let settings = try await Self.settings(
                &body, among: routes.services.live.dialects, on: routes.services.work)
            let (package, isNew) = try await routes.services.catalogue.putPackage(
                id, settings, of: app, ifMatch: call.precondition, by: call.author)
            let effects = Withdrawal.disabled.effects(
                on: routes.services.live.dialects.rules(of: package.dialects))
            return Self.respond(
                isNew ? .created : .ok, package, routes,
                settings.isEnabled == false ? [.init("clients", effects.json)] : [])
        }
    }

    /// Returns the channel whose state the list shows; `nil` if it shows none.
    private static func channel(_ query: Query, of app: LiveApp) throws(PlatformError) -> ChannelName? {
        guard let text = query["channel"] else { return nil }
        return try app.requireView(of: try NameKind.channel.read(text)).channel
    }

    private static func isSet(_ name: String, _ query: Query) throws(PlatformError) -> Bool {
        guard let text = query[name] else { return false }
        guard text == "1" else { throw JSONReader.wrong(name, "1, or left out") }
        return true
    }

    /// - Parameter work: The threads that check the patterns of `resources`, which may take a while.
    private static func settings(
        _ body: inout JSONReader, among dialects: DialectList, on work: WorkExecutor
    ) async throws(PlatformError) -> Catalogue.PackageSettings {
        var settings = Catalogue.PackageSettings()
        if let name = try body.string("name") {
            guard !name.isEmpty, name.utf8.count <= Package.maximumNameLength else {
                throw JSONReader.wrong("name", "1 to \(Package.maximumNameLength) bytes long")
            }
            settings.name = name
        }
        switch body.take("entry") {
        case nil: break
        case .null: settings.entry = .some(nil)
        case .string(let text):
            guard let path = try? TreePath(text) else {
                throw JSONReader.wrong("entry", "a relative path such as \"index.html\", or null")
            }
            settings.entry = .some(path)
        default: throw JSONReader.wrong("entry", "a relative path such as \"index.html\", or null")
        }
        if let text = try body.string("urlPrefix") {
            guard let prefix = URLPrefix(text) else {
                throw JSONReader.wrong("urlPrefix", "an absolute URL path such as \"/news/\"")
            }
            settings.urlPrefix = prefix
        }
        settings.isEnabled = try body.bool("enable")
        settings.priority = try body.integer("priority", in: -1_000_000...1_000_000)
        settings.dialects = try Self.dialects(&body, among: dialects)
        if let resources = body.take("resources") {
            settings.resources = try await work.run { () throws(PlatformError) in try Self.resources(resources) }
        }
        settings.permissions = try body.permissions("permissions")
        try body.finish()
        return settings
    }

    private static func dialects(
        _ body: inout JSONReader, among dialects: DialectList
    ) throws(PlatformError) -> Set<Dialect>? {
        guard let value = body.take("dialects") else { return nil }
        let names = value.elements?.map { $0.string.flatMap(dialects.dialect(named:)) }
        guard let names, names.allSatisfy({ $0 != nil }) else {
            throw JSONReader.wrong("dialects", "an array of dialects: \(dialects.names)")
        }
        return Set(names.compactMap { $0 })
    }

    private static func resources(_ value: JSON?) throws(PlatformError) -> ResourceSettings? {
        guard let value, value != .null else { return nil }
        do throws(ResourceSettings.Fault) { return try ResourceSettings(value) } catch {
            throw PlatformError(.invalidRequest, error.message)
        }
    }

    /// Returns the response that shows one package, with its entity tag.
    static func respond(
        _ status: Status, _ package: Package, _ routes: OperatorRoutes, _ more: [JSON.Member] = []
    ) -> Response {
        .json(status, .object(members(package) + more), tag: package.tag(by: routes.services.cryptography))
    }

    private static func json(_ package: Package) -> JSON { .object(members(package)) }

    private static func members(_ package: Package) -> [JSON.Member] {
        [.init("id", .string(package.id.text)), .init("app", .string(package.app.text))] + package.settings
            + (package.onlineUntil.map { [.init("onlineUntil", .string($0.rfc3339))] } ?? [])
    }
}
