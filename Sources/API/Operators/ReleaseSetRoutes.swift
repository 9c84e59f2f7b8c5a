import Domain
import Ground
import HTTP
import Platform

/// Release sets: versions of several packages that devices get together, or none of them.
struct ReleaseSetRoutes {
    let routes: OperatorRoutes

    static let pattern = "/apps/{app}/release-sets"

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        routes.add(.get, Self.pattern, .publisher, to: &router) { call throws(PlatformError) in
            let sets = try await routes.services.releaser.sets(of: try routes.app(call.parameters))
            return .json(
                .ok,
                .object([
                    "releaseSets": .array(sets.map { .object(ReleaseSetJSON(facts: $0).members()) })
                ]))
        }
        routes.add(.get, Self.pattern + "/{set}", .publisher, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            return await Self.answer(try await routes.services.releaser.findSet(try Self.id(call), of: app), routes)
        }
        routes.add(.post, Self.pattern, .releaser, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            let isForced = try body.bool("force") ?? false
            let drafts = try await Self.drafts(&body, of: app, routes.services)
            let made = try await routes.services.releaser.release(setOf: drafts, isForced: isForced, by: call.author)
            let gaps = await routes.gapsAfterChange { () throws(PlatformError) in
                try await routes.services.plannedPatches.gaps(of: made.facts)
            }
            let json = ReleaseSetJSON(facts: made.facts, gaps: gaps)
            let more = made.outcomes.map { ReleaseJSON.members($0.shadowing) }
            return .json(
                .created,
                .object(json.members(more) + [.init("warnings", .array(json.warnings.map { .string($0) }))]),
                fields: [.etag: json.etag])
        }
        addActions(to: &router)
    }

    private func addActions(to router: inout Router<APIEndpoint>) {
        let routes = routes
        let pattern = Self.pattern + "/{set}"
        routes.addReleaseActions(at: pattern, to: &router) {
            action, isForced, call throws(PlatformError) in
            try await Self.act(action, isForced: isForced, call, routes)
        }
        routes.add(.post, pattern + "/rollback", .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            let versions = try body.versions("to") ?? [:]
            let isMandatory = try body.bool("mandatory") ?? false
            let isDryRun = try call.isDryRun(&body)
            let isForced = try body.bool("force") ?? false
            try body.finish()
            let done = try await routes.services.releaser.rollBack(
                set: try Self.id(call), of: app, to: versions, isMandatory: isMandatory, isDryRun: isDryRun,
                ifMatch: call.precondition, isForced: isForced, by: call.author)
            return .json(
                done.isDryRun ? .ok : .created,
                .object(
                    [
                        .init("dryRun", .bool(done.isDryRun)),
                        .init("begun", done.begun.map { .integer($0.value) } ?? .null),
                        .init(
                            "packages",
                            .array(
                                done.parts.map { part in
                                    .object([.init("package", .string(part.ended.package.text))] + part.members)
                                })),
                    ] + (done.parts.first?.losses.members ?? [])))
        }
    }

    private static func act(
        _ action: ReleaseAction, isForced: Bool, _ call: OperatorRoutes.Call, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> Response {
        let app = try routes.app(call.parameters)
        let (facts, changes) = try await routes.services.releaser.apply(
            action, toSet: try id(call), of: app, ifMatch: call.precondition, isForced: isForced, by: call.author)
        let more = changes.map { change in
            ReleaseJSON.members(change.shadowing) + (action == .halt ? change.fallBack : [])
        }
        return await answer(facts, routes, more)
    }

    private static func answer(
        _ facts: Releaser.SetFacts, _ routes: OperatorRoutes, _ more: [[JSON.Member]] = []
    ) async -> Response {
        let gaps = await routes.gapsAfterChange { () throws(PlatformError) in
            try await routes.services.plannedPatches.gaps(of: facts)
        }
        let json = ReleaseSetJSON(facts: facts, gaps: gaps)
        return .json(.ok, .object(json.members(more)), fields: [.etag: json.etag])
    }

    private static func id(_ call: OperatorRoutes.Call) throws(PlatformError) -> ReleaseSetID {
        let text = call.parameters["set"] ?? ""
        guard let value = Int64(text), value > 0 else {
            throw PlatformError(
                .releaseNotFound,
                "'\(ShownText.of(text.utf8))' is no release set: sets are numbered, see the list.")
        }
        return ReleaseSetID(value)
    }

    private static func drafts(
        _ body: inout JSONReader, of app: LiveApp, _ services: Services
    ) async throws(PlatformError) -> [ReleaseDraft] {
        guard let versions = try body.versions("versions") else {
            throw JSONReader.wrong(
                "versions", "the versions to offer, such as {\"news\": \"1.2.0\", \"common\": \"7.0\"}")
        }
        let channel = try PathParameters.channel(try body.string("channel") ?? ChannelName.production.text)
        let other = try body.integer("sameAudienceAs", in: 1...Int64.max)
        var salt = Salt.random(by: services.cryptography)
        if let other { salt = try await services.releaser.findSet(ReleaseSetID(other), of: app).set.terms.salt }
        let terms = try body.terms(salt: salt)
        let activeTime = try body.activeTime(at: services.clock.now())
        let again = try body.bool("again") ?? false
        try body.finish()
        guard terms.floor == nil else {
            throw PlatformError(
                .invalidRequest,
                "A 'floor' is a version of one package, and a set has several: release that package by itself first.")
        }
        try ReleaseRoutes.requireCounting(activeTime, terms, at: services.clock.now())
        var drafts: [ReleaseDraft] = []
        for (package, version) in versions.sorted(by: { $0.key < $1.key }) {
            _ = try await services.catalogue.requirePackage(package, of: app)
            drafts.append(
                ReleaseDraft(
                    app: app.id, package: package, channel: channel, version: version, terms: terms,
                    activeTime: activeTime, refusesDuplicate: !again))
        }
        return drafts
    }
}

extension JSONReader {
    /// An object of versions by their packages.
    fileprivate mutating func versions(_ key: String) throws(PlatformError) -> [PackageID: VersionString]? {
        guard let value = take(key), value != .null else { return nil }
        guard let members = value.members, members.count <= ReleaseSet.sizes.upperBound else {
            throw Self.wrong(
                key, "an object with the version of each package, \(ReleaseSet.sizes.upperBound) packages at most")
        }
        var versions: [PackageID: VersionString] = [:]
        for member in members {
            guard let package = PackageID(member.key), let version = member.value.string.flatMap({ VersionString($0) })
            else { throw Self.wrong(key, "an object with the version of each package, such as {\"news\": \"1.2.0\"}") }
            versions[package] = version
        }
        return versions
    }
}
