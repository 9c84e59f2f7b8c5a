import Domain
import Ground
import HTTP
import Platform

/// The routes of the providers by which people sign in (decision 0087).
struct SignInProviderRoutes {
    let routes: OperatorRoutes

    private static let pattern = "/sign-in-providers"
    private static let one = pattern + "/{provider}"
    private static let list = ObjectList<StoredSignInProvider>(
        sorts: [.init("name") { [.text($0.provider.name.text)] }],
        filters: [.text { [$0.provider.name.text, $0.provider.label, $0.provider.issuer] }])

    func add(to router: inout OperatorRouter) {
        let (routes, providers) = (routes, routes.services.signInProviders)
        routes.add(.get, Self.pattern, .admin, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            try Self.list.respond("signInProviders", try await providers.providers(), to: call) {
                .object(Self.members(of: $0))
            }
        }
        routes.add(.get, Self.one, .admin, to: &router) { call throws(PlatformError) in
            Self.respond(.ok, try await providers.requireProvider(try call.parameters.read(.signInProvider)))
        }
        routes.add(.put, Self.one, .admin, to: &router, hasTag: true) { call throws(PlatformError) in
            let name = try call.parameters.readNew(.signInProvider)
            var body = try await call.json()
            let secret = try body.clientSecret()
            let provider = try Self.provider(name, &body)
            let change = try await providers.put(
                provider, secret: secret, ifMatch: call.precondition, by: call.author)
            Self.endStreams(of: change, call, routes)
            return Self.respond(change.isNew ? .created : .ok, change.stored)
        }
        routes.add(.delete, Self.one, .admin, to: &router, hasTag: true) { call throws(PlatformError) in
            let change = try await providers.remove(
                try call.parameters.read(.signInProvider), ifMatch: call.precondition, by: call.author)
            Self.endStreams(of: change, call, routes)
            return .json(.ok, .object(Self.members(of: change.stored)))
        }
    }

    private static func endStreams(
        of change: SignInProviders.Change, _ call: OperatorRoutes.Call, _ routes: OperatorRoutes
    ) {
        guard !call.author.isRehearsing else { return }
        for user in change.users { routes.services.auditFollower.end(.user(user)) }
    }

    private static func respond(_ status: Status, _ stored: StoredSignInProvider) -> Response {
        .json(status, .object(members(of: stored)), tag: String(stored.revision))
    }

    /// The members of a provider, without its secret.
    private static func members(of stored: StoredSignInProvider) -> [JSON.Member] {
        [.init("name", .string(stored.provider.name.text))] + stored.provider.members
    }

    private static func provider(
        _ name: SignInProviderName, _ body: inout JSONReader
    ) throws(PlatformError) -> SignInProvider {
        let issuer = try body.string("issuer") ?? ""
        let label = try body.shortText("label", "the name that the sign-in page shows, such as \"Acme\"")
        let clientID = try body.shortText("clientId", "the id of the client that the provider has for this server")
        let scopes = try body.scopes()
        let userClaim = try body.claim("userClaim")
        let groupsClaim = try body.claim("groupsClaim")
        let groups = try body.groups()
        try body.finish()
        guard (1...CITrust.maximumIssuerLength).contains(issuer.utf8.count) else {
            throw JSONReader.wrong("issuer", "the URL of the issuer, such as \"https://id.example.com/realms/acme\"")
        }
        return SignInProvider(
            name: name, issuer: issuer, label: label, clientID: clientID,
            scopes: scopes ?? SignInProvider.standardScopes, userClaim: userClaim ?? SignInProvider.standardUserClaim,
            groupsClaim: groupsClaim ?? SignInProvider.standardGroupsClaim, groups: groups)
    }
}

extension JSONReader {
    private static let scopesShape =
        "an array of 1 to \(SignInProvider.maximumScopes) scopes with \"\(SignInProvider.requiredScope)\", such as "
        + "[\"openid\", \"profile\"]"
    private static let groupsShape =
        "an array of 1 to \(SignInProvider.maximumGroups) objects such as {\"group\": \"release-managers\", \"grants\": "
        + "[{\"role\": \"releaser\"}]}, each for another group, with at most \(SignInProvider.maximumGrants) grants together"

    fileprivate mutating func clientSecret() throws(PlatformError) -> ClientSecret? {
        guard let text = try string("clientSecret") else { return nil }
        guard let secret = ClientSecret(text) else { throw Self.wrong("clientSecret", ClientSecret.shape) }
        return secret
    }

    /// Takes a text without control characters.
    fileprivate mutating func shortText(_ key: String, _ meaning: String) throws(PlatformError) -> String {
        guard let text = try string(key), (1...SignInProvider.maximumTextLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw Self.wrong(key, "\(meaning), of 1 to \(SignInProvider.maximumTextLength) bytes") }
        return text
    }

    fileprivate mutating func claim(_ key: String) throws(PlatformError) -> String? {
        guard let text = try string(key) else { return nil }
        guard (1...SignInProvider.maximumTextLength).contains(text.utf8.count) else {
            throw Self.wrong(key, "the name of a claim, of 1 to \(SignInProvider.maximumTextLength) bytes")
        }
        return text
    }

    fileprivate mutating func scopes() throws(PlatformError) -> [String]? {
        guard let value = takeValue("scopes") else { return nil }
        let scopes = value.elements?.compactMap(\.string) ?? []
        // The characters of RFC 6749 §3.3.
        func isScope(_ text: String) -> Bool {
            (1...SignInProvider.maximumTextLength).contains(text.utf8.count)
                && text.utf8.allSatisfy {
                    $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                }
        }
        guard (1...SignInProvider.maximumScopes).contains(scopes.count), scopes.count == value.elements?.count,
            scopes.allSatisfy(isScope), scopes.contains(SignInProvider.requiredScope)
        else { throw Self.wrong("scopes", Self.scopesShape) }
        return scopes
    }

    fileprivate mutating func groups() throws(PlatformError) -> [GroupGrants] {
        guard let elements = takeValue("groups")?.elements,
            (1...SignInProvider.maximumGroups).contains(elements.count)
        else { throw Self.wrong("groups", Self.groupsShape) }
        var groups: [GroupGrants] = []
        for element in elements {
            var reader = try JSONReader(element)
            let name = try reader.string("group") ?? ""
            let grants = try reader.grants() ?? []
            try reader.finish()
            guard let group = GroupGrants(group: name, grants: grants), !groups.contains(where: { $0.group == name })
            else { throw Self.wrong("groups", Self.groupsShape) }
            groups.append(group)
        }
        guard groups.reduce(0, { $0 + $1.grants.count }) <= SignInProvider.maximumGrants else {
            throw Self.wrong("groups", Self.groupsShape)
        }
        return groups
    }
}
