import Domain
import Ground
import HTTP
import Platform

/// The routes that withdraw a package from devices: permanently, or for a while.
struct WithdrawalRoutes {
    let routes: OperatorRoutes

    private static let online = "/apps/{app}/packages/{package}/online"

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.post, "/apps/{app}/packages/{package}/kill", .releaser, to: &router, scope: .channel) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            var body = try await call.json()
            let page = try Self.page(&body)
            let channel = try NameKind.channel.read(try body.string("channel") ?? ChannelName.production.text)
            let version = try body.version("version")
            let isDryRun = try call.isDryRun(&body)
            let isForced = try body.bool("force") ?? false
            try body.finish()
            let kill = try await routes.services.killSwitch.kill(
                package, on: channel, leadingTo: page, as: version, isDryRun: isDryRun, isForced: isForced,
                by: call.author)
            return .json(isDryRun ? .ok : .created, .object(kill.members))
        }
        routes.add(.post, Self.online, .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            var body = try await call.json()
            let end = try Self.end(&body)
            let isDryRun = try call.isDryRun(&body)
            try body.finish()
            let done = try await routes.services.killSwitch.serveOnline(
                package, until: end, ifMatch: call.precondition, by: isDryRun ? call.author.rehearsing : call.author)
            return .json(
                .ok,
                .object([
                    "onlineUntil": done.package.onlineUntil.map { .string($0.rfc3339) },
                    "clients": done.effects.json, "dryRun": .bool(isDryRun),
                ]))
        }
        routes.add(.delete, Self.online, .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let done = try await routes.services.killSwitch.serveOnline(
                package, until: { _ in nil }, ifMatch: call.precondition, by: call.author)
            return PackageRoutes.respond(.ok, done.package, routes)
        }
    }

    private static func page(_ body: inout JSONReader) throws(PlatformError) -> KillPage {
        guard let text = try body.string("to") else {
            throw JSONReader.wrong("to", "the URL that the package's pages redirect to")
        }
        do throws(PageFault) { return try KillPage(leadingTo: text) } catch {
            throw PlatformError(.invalidRequest, "'to' \(error.message)")
        }
    }

    /// Reads the end as a function of the instant of the decision.
    private static func end(
        _ body: inout JSONReader
    ) throws(PlatformError) -> @Sendable (Timestamp) -> Timestamp? {
        let (length, moment) = (try body.string("for"), try body.time("until"))
        switch (length, moment) {
        case (let length?, nil):
            guard let milliseconds = PlanDuration.milliseconds(length) else {
                throw JSONReader.wrong("for", PlanDuration.shape)
            }
            return { $0.adding(milliseconds: milliseconds) }
        case (nil, let moment?): return { _ in moment }
        default:
            throw PlatformError(.invalidRequest, "Give either 'for', a duration such as \"2h\", or 'until', a time.")
        }
    }
}

extension [Withdrawal.Effect] {
    /// The behaviour of each client, as a member of responses.
    var json: JSON {
        .array(map { .object(["client": .string($0.client), "does": .string($0.does)]) })
    }
}

extension KillSwitch.Kill {
    fileprivate var members: [JSON.Member] {
        var members: [JSON.Member] = [
            .init("version", .string(version.text)), .init("dryRun", .bool(release == nil)),
            .init("clients", effects.json),
            .init(
                "replaces",
                .array(
                    replaced.map {
                        .object(["release": .integer($0.id.value), "version": .string($0.version.text)])
                    })),
            // These releases begin later and rank above the kill release.
            .init(
                "replacedBy",
                .array(
                    coming.map {
                        .object([
                            "release": .integer($0.id.value), "version": .string($0.version.text),
                            "activeTime": .string($0.activeTime.rfc3339),
                        ])
                    })),
        ]
        members += losses.members
        if let release { members.append(.init("release", .integer(release.id.value))) }
        return members
    }
}
