import Domain
import Ground
import HTTP
import Platform

/// The routes by which a browser signs in by a provider (decision 0087).
struct ProviderSessionRoutes {
    let routes: OperatorRoutes

    private static let one = "/session/oidc/{provider}"
    /// The parameter with the page that opens after signing in.
    private static let destination = "return"
    private static let callbackParameters: QueryParameters = ["state", "code", "error", "iss"]

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let providers = routes.services.signInProviders
        routes.addOpenRead("/session/providers", to: &router) { _, _ throws(PlatformError) in
            let list = try await providers.providers().map { stored in
                JSON.object([
                    "name": .string(stored.provider.name.text), "label": .string(stored.provider.label),
                ])
            }
            return .json(.ok, .object(["providers": .array(list)]))
        }
        routes.addOpenRead(Self.one, parameters: [Self.destination], to: &router) { head, path throws(PlatformError) in
            try await Self.reporting(to: head, routes) { () throws(PlatformError) in
                try SessionCookie.refuseOtherPages(head, at: routes.publicURL)
                return try await Self.begin(head, path, routes)
            }
        }
        routes.addOpenRead(
            Self.one + "/callback", parameters: Self.callbackParameters, acceptsOthers: true, to: &router
        ) { head, path throws(PlatformError) in
            try await Self.reporting(to: head, routes) { () throws(PlatformError) in
                try await Self.finish(head, path, routes)
            }
        }
    }

    private static func begin(
        _ head: RequestHead, _ path: PathParameters, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> Response {
        let name = try path.read(.signInProvider)
        var destination = SignInDestination.console
        if let text = head.query[Self.destination] {
            guard let known = SignInDestination(text) else {
                throw JSONReader.wrong(Self.destination, SignInDestination.shape)
            }
            destination = known
        }
        let begun = try await routes.services.providerSignIn.begin(
            name, to: destination, callback: try callback(of: name, routes), visitor(head))
        var response = redirect(to: begun.url)
        response.fields[.setCookie] = SignInCookie.beginning(begun.browserSecret)
        return response
    }

    private static func finish(
        _ head: RequestHead, _ path: PathParameters, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> Response {
        let name = try path.read(.signInProvider)
        let query = head.query
        let callback = ProviderSignIn.Callback(
            state: query["state"] ?? "", code: query["code"], error: query["error"], issuer: query["iss"])
        let (signedIn, destination) = try await routes.services.providerSignIn.finish(
            name, callback, browserSecret: SignInCookie.secret(of: head), at: try self.callback(of: name, routes),
            visitor(head))
        // This redirect came from another site, so the browser does not send the new cookie with the page. The page sends
        // it with its own requests.
        var response = redirect(to: routes.publicURL.text + destination.path)
        response.fields.append(.setCookie, SessionCookie.beginning(signedIn.secret))
        response.fields.append(.setCookie, SignInCookie.ending)
        return response
    }

    private static func visitor(_ head: RequestHead) -> ProviderSignIn.Visitor {
        ProviderSignIn.Visitor(group: head.client.group.description, address: head.client.description)
    }

    /// Returns the URL to which a provider redirects; throws `publicURLRequired` if the operator has set no URL.
    private static func callback(
        of name: SignInProviderName, _ routes: OperatorRoutes
    ) throws(PlatformError) -> String {
        guard routes.isPublicURLSet else {
            throw PlatformError(
                .publicURLRequired,
                "Signing in by a provider needs the URL of this server, to which the provider redirects. Start the server with "
                    + "--public-url.")
        }
        return "\(routes.publicURL.text)\(OperatorRoutes.root)/session/oidc/\(name)/callback"
    }

    private static func redirect(to url: String) -> Response {
        Response(.seeOther, fields: [.location: url, .cacheControl: "no-store"])
    }

    /// Responds to a failure, for a browser with a redirect to the sign-in page, which explains the code.
    private static func reporting(
        to head: RequestHead, _ routes: OperatorRoutes, _ body: () async throws(PlatformError) -> Response
    ) async throws(PlatformError) -> Response {
        do throws(PlatformError) { return try await body() } catch {
            let isBrowser = head[.accept]?.contains("text/html") ?? false
            guard isBrowser, routes.isPublicURLSet, error.code.status != .internalServerError else { throw error }
            return redirect(to: "\(routes.publicURL.text)/console/#/sign-in?problem=\(error.code.rawValue)")
        }
    }
}
