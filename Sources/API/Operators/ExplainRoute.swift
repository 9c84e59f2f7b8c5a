import Domain
import Ground
import HTTP
import Platform

/// The route that explains the decision for a device, now or at another instant.
struct ExplainRoute {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let parameters = DeviceQuery.parameters(["channel", "at"])
        routes.add(.get, "/apps/{app}/explain", .viewer, to: &router, parameters: parameters) {
            call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let query = call.request.head.query
            let channel = try NameKind.channel.read(query["channel"] ?? ChannelName.production.text)
            let device = DeviceQuery(query, of: app.id, by: routes.services.deviceIDs)
            let view: ChannelView
            var isForecast = false
            if let text = query["at"] {
                guard let instant = Timestamp(rfc3339: text) else {
                    throw PlatformError(
                        .invalidRequest, "'at' must be a time in the format of RFC 3339, such as 2026-12-01T00:00:00Z.")
                }
                (view, isForecast) = try await routes.services.live.view(of: channel, of: app, asOf: instant)
            } else {
                view = try app.requireView(of: channel)
            }
            let verdicts = try await routes.services.healthJudge.verdicts(on: view.releases)
            return await .json(.ok, on: routes.services.work) { [isForecast] in
                let packages = Explanation.all(of: view, to: device.facts, only: device.only)
                return .object([
                    "app": .string(app.id.text), "channel": .string(channel.text),
                    "instant": .string(view.instant.rfc3339),
                    "assumption": isForecast ? .string(Self.assumption) : nil, "device": Self.json(device.facts),
                    "packages": .array(packages.map { Self.json($0, verdicts) }),
                ])
            }
        }
    }

    /// The sentence about an explanation of a future time.
    private static let assumption =
        "This assumes that no operator makes a change and that releases with health rules stay healthy, so that each "
        + "step of their plans is taken when it is due. A cool-down may delay it."

    /// Returns the device facts as the server understood them.
    private static func json(_ facts: DeviceFacts) -> JSON {
        var members: [JSON.Member] = []
        if let bucket = facts.bucket { members.append(.init("bucket", .integer(Int64(bucket.value)))) }
        for (fact, value) in facts.values.sorted(by: { $0.key.description < $1.key.description }) {
            members.append(.init(fact.description, .string(value.text)))
        }
        if let holdings = facts.holdings {
            members.append(.init("have", json(holdings)))
        }
        return .object(members)
    }

    /// Returns the versions that a device has, by package.
    static func json(_ holdings: Holdings) -> JSON {
        .object(
            holdings.versions.sorted { $0.key < $1.key }.map { package, versions in
                JSON.Member(package.text, .array(versions.map { .string($0.text) }))
            })
    }

    /// - Parameter verdicts: The verdicts on the health of releases.
    static func json(_ explanation: Explanation, _ verdicts: [ReleaseID: JSON] = [:]) -> JSON {
        .object([
            "package": .string(explanation.package.text),
            "enable": .bool(explanation.isEnabled),
            "current": explanation.decision.current.map(json) ?? .null,
            "next": explanation.decision.next.map(json) ?? .null,
            "releases": .array(explanation.checks.map { json($0, verdicts[$0.release.id]) }),
        ])
    }

    private static func json(_ decision: ReleaseDecision) -> JSON {
        .object([
            "release": .integer(decision.release.id.value), "version": .string(decision.release.version.text),
            "rank": .integer(decision.release.rank.value), "activeTime": .string(decision.release.activeTime.rfc3339),
            "mandatoryAfter": decision.mandatoryAfter.map { .integer($0.value) },
            "mandatory": decision.isMandatory.map { .bool($0) },
        ])
    }

    private static func json(_ check: RuleCheck, _ verdict: JSON?) -> JSON {
        let outcome = check.refusal == nil ? (check.isHidden ? "hidden" : "offered") : "refused"
        return .object([
            "release": .integer(check.release.id.value), "version": .string(check.release.version.text),
            "outcome": .string(outcome), "reason": check.refusal.map { .string($0.description) },
            "refusal": check.refusal.map { JSON($0, isOfDevice: true) },
            "verdict": verdict,
        ])
    }
}
