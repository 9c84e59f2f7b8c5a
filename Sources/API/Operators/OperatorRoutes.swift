import Domain
import Ground
import HTTP
import Platform

/// The operators' API under `/api/v1`: JSON, a bearer token or a session on every route but the open ones, no CORS.
struct OperatorRoutes {
    static let root = "/api/v1"
    /// The limit on the bytes of a JSON or PEM body.
    static let bodyLimit = 64 << 10

    let services: Services
    let publicURL: PublicURL
    /// Whether the operator has set the public URL, so that other sites can redirect to it.
    let isPublicURLSet: Bool
    let gates: RateGates

    /// A request of an operator whose role permits it.
    struct Call: Sendable {
        let request: Request
        let parameters: PathParameters
        /// The author of the request; rehearsing if the request asks for a dry run (``DryRunSupport``).
        let author: Operator
        /// The parsed `If-Match`; `nil` without the field.
        let precondition: IfMatchPrecondition?

        func body() async throws(PlatformError) -> [UInt8] {
            do throws(BodyError) { return try await request.body.collect(upTo: bodyLimit) } catch {
                throw error.platformError
            }
        }

        /// Reads the body as a JSON object; an empty body counts as `{}`.
        func json() async throws(PlatformError) -> JSONReader { try JSONReader(try await jsonBody()) }

        /// Reads the body as JSON; an empty body counts as `{}`.
        func jsonBody() async throws(PlatformError) -> JSON {
            let body = try await body()
            guard !body.isEmpty else { return .object([] as [JSON.Member]) }
            guard let json = JSON(parsing: body) else { throw JSONReader.noObject }
            return json
        }
    }

    typealias Handler = @Sendable (Call) async throws(PlatformError) -> Response

    func add(to router: inout OperatorRouter) {
        AppRoutes(routes: self).add(to: &router)
        PackageRoutes(routes: self).add(to: &router)
        StatisticsRoutes(routes: self).add(to: &router)
        VersionRoutes(routes: self).add(to: &router)
        ArchiveRoutes(routes: self).add(to: &router)
        UploadRoutes(routes: self).add(to: &router)
        VersionDetailRoutes(routes: self).add(to: &router)
        WaiverRoutes(routes: self).add(to: &router)
        ReleaseRoutes(routes: self, face: .release).add(to: &router)
        ApprovalRoutes(routes: self).add(to: &router)
        ReleaseListRoute(routes: self).add(to: &router)
        SearchRoute(routes: self).add(to: &router)
        WithdrawalRoutes(routes: self).add(to: &router)
        AudienceRoutes(routes: self).add(to: &router)
        AdoptionRoute(routes: self).add(to: &router)
        ReleaseRoutes(routes: self, face: .set).add(to: &router)
        DeviceListRoutes(routes: self).add(to: &router)
        DeviceRoutes(routes: self).add(to: &router)
        BuildRoutes(routes: self).add(to: &router)
        PageGrantRoutes(routes: self).add(to: &router)
        ExplainRoute(routes: self).add(to: &router)
        PresetRoutes(routes: self).add(to: &router)
        KeyRoutes(routes: self).add(to: &router)
        TokenRoutes(routes: self).add(to: &router)
        CITrustRoutes(routes: self).add(to: &router)
        UserRoutes(routes: self).add(to: &router)
        SessionRoutes(routes: self).add(to: &router)
        CommandLineRoutes(routes: self).add(to: &router)
        SignInProviderRoutes(routes: self).add(to: &router)
        ProviderSessionRoutes(routes: self).add(to: &router)
        PruneRoute(routes: self).add(to: &router)
        AuditRoute(routes: self).add(to: &router)
        AuditRoute(routes: self).addHistory(to: &router)
        EventRoute(routes: self).add(to: &router)
        WebhookRoutes(routes: self).add(to: &router)
    }

    /// Adds a route that needs a role.
    ///
    /// A route refuses parameters that it does not take. One that changes something honours or rejects `?dryRun=1` and `If-Match`, so that every change is one that
    /// the client asked for.
    ///
    /// The rate limit by address applies before the token is checked, and the token is checked before the body is read.
    ///
    /// - Parameters:
    ///   - scope: The scope that a grant must have; `nil` for ``RouteScope/init(of:for:)``.
    ///   - parameters: The parameters in the query; of a change also `dryRun`.
    ///   - idempotency: The treatment of `Idempotency-Key`.
    ///   - hasTag: Whether the target of the route has an entity tag, which the handler compares with
    ///     ``Call/precondition``.
    ///   - fields: Header fields of every response of the route, including 401 and 403, but not of the 429 by address.
    func add(
        _ method: Method, _ pattern: String, _ role: Role, to router: inout OperatorRouter,
        scope: RouteScope? = nil, bodyLimit: Int = bodyLimit, parameters: QueryParameters = [],
        dryRun: DryRunSupport = .rollsBack,
        idempotency: IdempotencySupport = .keepsResponse, hasTag: Bool = false, fields: Fields = Fields(),
        _ handler: @escaping Handler
    ) {
        add(
            method, path: Self.root + pattern, role, to: &router, scope: scope, bodyLimit: bodyLimit,
            parameters: parameters, dryRun: dryRun, idempotency: idempotency, hasTag: hasTag, fields: fields, handler)
    }

    /// Adds a route outside of `/api/v1` that needs a role.
    func add(
        _ method: Method, path: String, _ role: Role, to router: inout OperatorRouter,
        scope: RouteScope? = nil, bodyLimit: Int = bodyLimit, parameters: QueryParameters = [],
        dryRun: DryRunSupport = .rollsBack,
        idempotency: IdempotencySupport = .keepsResponse, hasTag: Bool = false, fields: Fields = Fields(),
        _ handler: @escaping Handler
    ) {
        let (services, gates, publicURL) = (services, gates, publicURL)
        let isChange = method != .get && method != .head
        let known = isChange ? parameters.adding(DryRunSupport.parameter) : parameters
        let scope = scope ?? RouteScope(of: path, for: role)
        let description = OperatorRouter.Description(
            method: method, path: path, role: role, scope: scope, parameters: known, idempotency: idempotency,
            hasTag: hasTag)
        let endpoint = APIEndpoint { head, parameters throws(PlatformError) in
            try gates.admitOperator(from: head.client)
            return .handle(bodyLimit: bodyLimit) { request in
                var response = await respondingToErrors(services.log) { () throws(PlatformError) in
                    let author = try await Self.author(of: request.head, services, at: publicURL)
                    try gates.admit(author)
                    try author.require(scope.requirement(role, parameters))
                    try known.check(request.head.query)
                    let isRehearsal = isChange ? try dryRun.isAsked(by: request.head) : false
                    let precondition = isChange ? try Self.precondition(request.head, hasTag: hasTag) : nil
                    let call = Call(
                        request: request, parameters: parameters, author: isRehearsal ? author.rehearsing : author,
                        precondition: precondition)
                    if method == .delete, try await !call.body().isEmpty {
                        throw PlatformError(
                            .invalidRequest, "DELETE accepts no body. Send its parameters in the query.")
                    }
                    let key = isRehearsal ? nil : try idempotency.key(of: request.head)
                    let response =
                        if let key {
                            try await Self.respondOnce(to: call, under: key, idempotency, services, handler)
                        } else {
                            try await handler(call)
                        }
                    return isRehearsal ? response.ofDryRun : response
                }
                for field in fields.all { response.fields[field.name] = field.value }
                return response
            }
        }
        router.add(description, endpoint)
    }

    /// Adds a route that needs neither a token nor a session, because the body proves who calls.
    ///
    /// - Parameter reason: The reason for which the route refuses `Idempotency-Key`.
    func addOpen(
        _ method: Method, _ pattern: String, unneeded reason: String, to router: inout OperatorRouter,
        _ handler: @escaping @Sendable (RequestHead, JSONReader) async throws(PlatformError) -> Response
    ) {
        let (services, gates, publicURL) = (services, gates, publicURL)
        let known: QueryParameters = [DryRunSupport.parameter]
        let idempotency = IdempotencySupport.unneeded(reason)
        let description = OperatorRouter.Description(
            method: method, path: Self.root + pattern, role: nil, scope: .any, parameters: known,
            idempotency: idempotency)
        let endpoint = APIEndpoint { head, _ throws(PlatformError) in
            try gates.admitOperator(from: head.client)
            return .handle(bodyLimit: Self.bodyLimit) { request in
                await respondingToErrors(services.log) { () throws(PlatformError) in
                    let head = request.head
                    try SessionCookie.refuseOtherPages(head, at: publicURL)
                    try known.check(head.query)
                    _ = try DryRunSupport.refused.isAsked(by: head)
                    _ = try Self.precondition(head, hasTag: false)
                    _ = try idempotency.key(of: head)
                    let bytes: [UInt8]
                    do throws(BodyError) { bytes = try await request.body.collect(upTo: Self.bodyLimit) } catch {
                        throw error.platformError
                    }
                    return try await handler(head, try JSONReader(bytes))
                }
            }
        }
        router.add(description, endpoint)
    }

    /// Adds a route to read that needs neither a token nor a session.
    ///
    /// - Parameters:
    ///   - parameters: The parameters in the query.
    ///   - acceptsOthers: Whether other parameters are ignored, since another site decides on them.
    func addOpenRead(
        _ pattern: String, parameters: QueryParameters = [], acceptsOthers: Bool = false,
        to router: inout OperatorRouter,
        _ handler: @escaping @Sendable (RequestHead, PathParameters) async throws(PlatformError) -> Response
    ) {
        let (services, gates) = (services, gates)
        let description = OperatorRouter.Description(
            method: .get, path: Self.root + pattern, role: nil, scope: .any, parameters: parameters)
        let endpoint = APIEndpoint { head, path throws(PlatformError) in
            try gates.admitOperator(from: head.client)
            return .handle(bodyLimit: Self.bodyLimit) { request in
                await respondingToErrors(services.log) { () throws(PlatformError) in
                    if !acceptsOthers { try parameters.check(request.head.query) }
                    return try await handler(request.head, path)
                }
            }
        }
        router.add(description, endpoint)
    }

    /// Adds the route that lists all routes of the router, with itself, as the last one.
    func addList(to router: inout OperatorRouter) {
        let others = router.descriptions
        let own = OperatorRouter.Description(
            method: .get, path: Self.root, role: .viewer, scope: .any, parameters: [])
        let list = JSON.object(["routes": .array((others + [own]).map(\.json))])
        add(.get, "", .viewer, to: &router, scope: own.scope) { _ throws(PlatformError) in .json(.ok, list) }
    }

    /// Adds the route of the description of the router's routes (decision 0083), after all others.
    func addDescription(to router: inout OperatorRouter) {
        let endpoint = OpenAPIEndpoint(services: services, descriptions: router.descriptions)
        router.router.add(.get, OpenAPIEndpoint.path) { head, _ throws(PlatformError) in endpoint.respond(head) }
    }

    /// Returns the operator of a request: the holder of its token, else the user of its cookie.
    private static func author(
        of head: RequestHead, _ services: Services, at publicURL: PublicURL
    ) async throws(PlatformError) -> Operator {
        let author: Operator?
        var advice = "Sign in again."
        if let value = head[.authorization] {
            let parts = value.split(separator: " ", maxSplits: 1)
            let isBearer = parts.count == 2 && parts[0].lowercased() == "bearer"
            let secret = isBearer ? String(parts[1]) : ""
            if secret.hasPrefix(CommandLineSignIn.secretPrefix) {
                author = try await services.sessions.authenticate(secret, isBrowser: false)
                advice = "Run 'larder login' again."
            } else {
                author = isBearer ? try await services.tokens.authenticate(secret) : nil
                guard author != nil else { throw PlatformError(.unauthorized, "The token is unknown or was revoked.") }
            }
        } else if let secret = SessionCookie.secret(of: head) {
            try SessionCookie.requireOwnPage(head, at: publicURL)
            author = try await services.sessions.authenticate(secret, isBrowser: true)
        } else {
            throw PlatformError(
                .unauthorized, "This route requires a token. Send it as 'Authorization: Bearer …', or sign in.")
        }
        guard let author else { throw PlatformError(.unauthorized, "The session is over. \(advice)") }
        return author.at(head.client.description)
    }

    // MARK: Names in paths

    func app(_ parameters: PathParameters) throws(PlatformError) -> LiveApp {
        try services.live.requireApp(try parameters.read(.app))
    }

    func package(_ parameters: PathParameters) async throws(PlatformError) -> Package {
        try await services.catalogue.requirePackage(try parameters.read(.package), of: try app(parameters))
    }
}
