import Domain
import Ground
import HTTP
import Platform

/// Releases: who is offered what, from when.
struct ReleaseRoutes {
    let routes: OperatorRoutes

    static let pattern = "/apps/{app}/packages/{package}/releases"

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        routes.add(.get, Self.pattern, .publisher, to: &router) { call throws(PlatformError) in
            let (_, facts) = try await Self.facts(call, routes)
            let list = facts.releases.sorted { $0.rank > $1.rank }.map { release in
                JSON.object(facts.json(release).members())
            }
            return .json(.ok, .object(["releases": .array(list)]))
        }
        routes.add(.get, Self.pattern + "/{release}", .publisher, to: &router) { call throws(PlatformError) in
            let (package, facts) = try await Self.facts(call, routes)
            let (release, _) = try await routes.services.releaser.find(try Self.id(call), of: package)
            return Self.answer(facts.json(release))
        }
        routes.add(.post, Self.pattern, .releaser, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let package = try await routes.package(call.parameters)
            var body = try await call.json()
            let isForced = try body.bool("force") ?? false
            let draft = try await Self.draft(&body, of: package, routes.services)
            let made = try await routes.services.releaser.release(draft, isForced: isForced, by: call.author)
            let json = await Self.json(
                made.release, among: made.releases, at: app.decisionInstant(routes.services.clock.now()), routes)
            return Self.answer(
                json, .created,
                ReleaseJSON.members(made.shadowing) + [
                    .init("warnings", .array(json.warnings.map { .string($0) }))
                ])
        }
        addActions(to: &router)
    }

    private func addActions(to router: inout Router<APIEndpoint>) {
        let routes = routes
        let pattern = Self.pattern + "/{release}"
        routes.addReleaseActions(at: pattern, to: &router) {
            action, isForced, call throws(PlatformError) in
            try await Self.act(action, isForced: isForced, call, routes)
        }
        routes.add(.post, pattern + "/rollback", .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            var body = try await call.json()
            let version = try body.version("to")
            let isMandatory = try body.bool("mandatory") ?? false
            let isDryRun = try call.isDryRun(&body)
            let isForced = try body.bool("force") ?? false
            try body.finish()
            let done = try await routes.services.releaser.rollBack(
                try Self.id(call), of: package, to: version, isMandatory: isMandatory, isDryRun: isDryRun,
                ifMatch: call.precondition, isForced: isForced, by: call.author)
            return .json(done.isDryRun ? .ok : .created, .object(done.members + done.losses.members))
        }
    }

    private static func act(
        _ action: ReleaseAction, isForced: Bool, _ call: OperatorRoutes.Call, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> Response {
        let package = try await routes.package(call.parameters)
        let change = try await routes.services.releaser.apply(
            action, to: try id(call), of: package, ifMatch: call.precondition, isForced: isForced, by: call.author)
        let json = await json(change.release, among: change.releases, at: change.instant, routes)
        var members = ReleaseJSON.members(change.shadowing)
        if action == .halt { members += change.fallBack }
        return answer(json, .ok, members)
    }

    /// A release that was changed, with the versions from which it offers no patch.
    private static func json(
        _ release: Release, among releases: [Release], at instant: Timestamp, _ routes: OperatorRoutes
    ) async -> ReleaseJSON {
        let gaps = await routes.gapsAfterChange { () throws(PlatformError) in
            try await routes.services.plannedPatches.gaps(
                of: release.package, in: release.app, releases: releases, at: instant)
        }
        return ReleaseJSON(release: release, releases: releases, instant: instant, gaps: gaps[release.id])
    }

    private static func answer(
        _ json: ReleaseJSON, _ status: Status = .ok, _ more: [JSON.Member] = []
    ) -> Response {
        .json(status, .object(json.members() + more), fields: [.etag: json.etag])
    }

    static func id(_ call: OperatorRoutes.Call) throws(PlatformError) -> ReleaseID {
        let text = call.parameters["release"] ?? ""
        guard let value = Int64(text), value > 0 else {
            throw PlatformError(
                .releaseNotFound, "'\(ShownText.of(text.utf8))' is no release: releases are numbered, see the list.")
        }
        return ReleaseID(value)
    }

    /// What a body asks to be released.
    static func draft(
        _ body: inout JSONReader, of package: Package, _ services: Services
    ) async throws(PlatformError) -> ReleaseDraft {
        guard let version = try body.version("version") else {
            throw JSONReader.wrong("version", "the version string to offer: \(VersionString.shape)")
        }
        let channel = try PathParameters.channel(try body.string("channel") ?? ChannelName.production.text)
        let other = try body.integer("sameAudienceAs", in: 1...Int64.max)
        var salt = Salt.random(by: services.cryptography)
        if let other { salt = try await services.releaser.find(ReleaseID(other), of: package).0.terms.salt }
        var terms = try body.terms(salt: salt)
        let downloads = try body.downloads("downloads")
        let activeTime = try body.activeTime(at: services.clock.now())
        let again = try body.bool("again") ?? false
        try body.finish()
        if let downloads {
            terms.downloads = try await services.releaser.downloadWindow(
                downloads, for: version, of: package, before: activeTime)
        }
        try requireCounting(activeTime, terms, at: services.clock.now())
        return ReleaseDraft(
            app: package.app, package: package.id, channel: channel, version: version, terms: terms,
            activeTime: activeTime, refusesDuplicate: !again)
    }

    /// Throws for a plan whose moment has passed.
    static func requireCounting(
        _ activeTime: Timestamp?, _ terms: ReleaseTerms, at now: Timestamp
    ) throws(PlatformError) {
        guard let activeTime, !terms.rollout.steps.isEmpty, activeTime < now else { return }
        throw PlatformError(
            .invalidRequest,
            "'activeTime' \(activeTime) has passed, and the plan's steps count from it: give a later one, or none to begin "
                + "at once.")
    }

    /// What is needed to tell of a package's releases.
    private struct Facts {
        let releases: [Release]
        let gaps: [ReleaseID: [PatchGap]]
        let instant: Timestamp

        func json(_ release: Release) -> ReleaseJSON {
            ReleaseJSON(release: release, releases: releases, instant: instant, gaps: gaps[release.id])
        }
    }

    private static func facts(
        _ call: OperatorRoutes.Call, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> (Package, Facts) {
        let package = try await routes.package(call.parameters)
        let app = try routes.app(call.parameters)
        let releases = try await routes.services.store.releases(of: package.id, in: package.app)
        let now = app.decisionInstant(routes.services.clock.now())
        let gaps = try await routes.services.plannedPatches.gaps(
            of: package.id, in: package.app, releases: releases, at: now)
        return (package, Facts(releases: releases, gaps: gaps, instant: now))
    }
}

extension Releaser.Change {
    /// What becomes of devices when a release is halted.
    var fallBack: [JSON.Member] {
        let lower = PatchPlan.offered(releases.filter { $0.channel == release.channel }, at: instant)
            .first { $0.rank < release.rank && $0.isActive(at: instant) }
        return [
            .init(
                "note",
                .string(
                    "Devices that say in 'have' that they have \(release.version) keep it. Those that do not say what they "
                        + "have, as seed 000's clients, "
                        + (lower.map { "go back to the next lower release that matches them, first \($0.version)." }
                            ?? "get nothing until there is another release; what they have stays."))),
            .init("fallsBackTo", lower.map { .integer($0.id.value) } ?? .null),
        ]
    }
}

extension Releaser.RollBack {
    var members: [JSON.Member] {
        [
            .init("dryRun", .bool(isDryRun)),
            .init("ended", .object(["release": .integer(ended.id.value), "version": .string(ended.version.text)])),
            .init("begun", begun.map { .object(json($0)) } ?? .null),
            .init("patchesReady", .bool(arePatchesReady)),
            .init("offered", .array(offered.map { .object(json($0)) })),
        ]
    }

    /// Who gets a release, in words.
    private func json(_ release: Release) -> [JSON.Member] {
        let isNumbered = !(isDryRun && release.id == begun?.id)
        return [
            .init("release", isNumbered ? .integer(release.id.value) : .null),
            .init("version", .string(release.version.text)),
            .init("percent", release.percent(at: max(instant, release.activeTime)).json),
            .init("to", .string(release.terms.audience.words)),
        ]
    }
}

extension Audience {
    /// Whom it holds, for people.
    fileprivate var words: String {
        var parts = rules.map(\.description)
        if let excluded { parts.append("not on the list '\(excluded)'") }
        let ruled = parts.isEmpty ? "all devices" : "devices with " + parts.joined(separator: " and ")
        return whitelist.map { "\(ruled), within the percentage or on the list '\($0)'" } ?? ruled
    }
}
