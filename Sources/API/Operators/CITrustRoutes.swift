import Domain
import Ground
import HTTP
import Platform

/// The routes of CI trusts, and the one by which a CI job gets a token (decision 0085).
struct CITrustRoutes {
    let routes: OperatorRoutes

    private static let pattern = "/ci-trusts"
    private static let one = pattern + "/{trust}"
    private static let list = ObjectList<CITrust>(
        sorts: [.init("name") { [.text($0.name.text)] }], filters: [.text { [$0.name.text, $0.issuer] }])

    func add(to router: inout OperatorRouter) {
        let trusts = routes.services.ciTrusts
        routes.add(.get, Self.pattern, .admin, to: &router, scope: .any, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let all = try await trusts.trusts(for: call.author)
            return try Self.list.respond("ciTrusts", all, to: call) { .object(Self.members(of: $0)) }
        }
        routes.add(.get, Self.one, .admin, to: &router, scope: .any) { call throws(PlatformError) in
            respond(.ok, try await trusts.requireTrust(try call.parameters.read(.ciTrust), for: call.author))
        }
        routes.add(.put, Self.one, .admin, to: &router, scope: .any, hasTag: true) { call throws(PlatformError) in
            let name = try call.parameters.readNew(.ciTrust)
            var body = try await call.json()
            let trust = try Self.trust(name, &body)
            let isNew = try await trusts.put(trust, ifMatch: call.precondition, by: call.author)
            return respond(isNew ? .created : .ok, trust)
        }
        routes.add(.delete, Self.one, .admin, to: &router, scope: .any, hasTag: true) { call throws(PlatformError) in
            let name = try call.parameters.read(.ciTrust)
            let removed = try await trusts.remove(name, ifMatch: call.precondition, by: call.author)
            return .json(.ok, .object(Self.members(of: removed)))
        }
        addExchange(to: &router)
    }

    private func respond(_ status: Status, _ trust: CITrust) -> Response {
        let tag = routes.services.ciTrusts.tag(of: trust)
        return .json(status, .object(Self.members(of: trust)), fields: [.etag: "\"\(tag)\""])
    }

    private static func members(of trust: CITrust) -> [JSON.Member] {
        [.init("name", .string(trust.name.text))] + trust.members
    }

    private static func trust(_ name: CITrustName, _ body: inout JSONReader) throws(PlatformError) -> CITrust {
        let (issuer, audience) = (try body.string("issuer") ?? "", try body.string("audience") ?? "")
        let claims = body.takeValue("claims")?.members ?? []
        let grant = try body.grant()
        let lifetime = try body.integer("lifetimeSeconds", in: CITrust.lifetimes)
        try body.finish()
        guard (1...CITrust.maximumIssuerLength).contains(issuer.utf8.count) else {
            throw JSONReader.wrong("issuer", "the URL of the issuer, such as \"https://gitlab.example.com\"")
        }
        guard (1...CITrust.maximumAudienceLength).contains(audience.utf8.count) else {
            throw JSONReader.wrong(
                "audience", "the audience that the jobs ask for, such as the URL of this server")
        }
        guard (1...CITrust.maximumConditions).contains(claims.count) else {
            throw JSONReader.wrong(
                "claims",
                "an object with 1 to \(CITrust.maximumConditions) conditions, such as {\"repository\": \"acme/shop\"}: "
                    + "without one, every job of the platform would get a token")
        }
        var conditions: [ClaimCondition] = []
        for claim in claims {
            guard let condition = claim.value.string.flatMap({ ClaimCondition(claim: claim.key, pattern: $0) }) else {
                throw PlatformError(
                    .invalidRequest,
                    "'\(ShownText.of(claim.key.utf8))' in 'claims' must be a text of 1 to \(ClaimCondition.maximumLength) "
                        + "bytes with more than asterisks, such as \"refs/tags/*\".")
            }
            conditions.append(condition)
        }
        guard grant.role < .admin else {
            throw PlatformError(.invalidRequest, "CI jobs can be no admins. Give another 'role'.")
        }
        return CITrust(
            name: name, issuer: issuer, audience: audience, conditions: conditions, grant: grant,
            lifetimeSeconds: lifetime ?? CITrust.standardLifetimeSeconds)
    }

    /// Adds the route of CI jobs, whose identity token proves who calls.
    private func addExchange(to router: inout OperatorRouter) {
        let trusts = routes.services.ciTrusts
        routes.addOpen(
            .post, "/ci-tokens", unneeded: "An exchange needs no 'Idempotency-Key': it may be repeated.", to: &router
        ) { head, body throws(PlatformError) in
            var body = body
            let name = try body.string("trust").flatMap { CITrustName($0) }
            let token = try body.string("identityToken")
            try body.finish()
            guard let name else { throw JSONReader.wrong("trust", "the name of a CI trust") }
            guard let token else { throw JSONReader.wrong("identityToken", "the identity token of the job") }
            return TokenRoutes.respond(
                try await trusts.exchange(token, under: name, from: head.client.description), .created)
        }
    }
}
