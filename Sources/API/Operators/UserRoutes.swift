import Domain
import Ground
import HTTP
import Platform

/// The routes of users for admins, and those of the user who is signed in.
struct UserRoutes {
    let routes: OperatorRoutes

    private static let one = "/users/{user}"
    private static let list = ObjectList<User>(
        sorts: [
            .init("name") { [.text($0.name.text)] },
            .init("createdAt") { [.number($0.createdAt.milliseconds), .text($0.name.text)] },
        ], filters: [.text { [$0.name.text] }])
    private static let secondFactor = "/user/totp"
    /// The fingerprint of a request is a fast hash, which would make the password in the body easy to guess.
    private static let keyless = IdempotencySupport.unneeded(
        "A change of a user needs no 'Idempotency-Key': sent twice, it is made once.")
    /// As ``keyless``: these bodies have a password, too.
    private static let latest = IdempotencySupport.unneeded(
        "This request needs no 'Idempotency-Key': sent twice, the secrets of the second response are valid.")

    func add(to router: inout OperatorRouter) {
        let users = routes.services.users
        routes.add(.get, "/users", .admin, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            try Self.list.respond("users", try await users.users(), to: call) { .object(Self.members(of: $0)) }
        }
        routes.add(.get, Self.one, .admin, to: &router) { call throws(PlatformError) in
            Self.respond(.ok, try await users.requireUser(try call.parameters.read(.user)))
        }
        routes.add(.post, "/users", .admin, to: &router, idempotency: Self.keyless) { call throws(PlatformError) in
            var body = try await call.json()
            guard let text = try body.string("name") else { throw JSONReader.wrong("name", UserName.shape) }
            let name = try NameKind.user.readNew(text)
            guard let password = try body.newPassword("password") else {
                throw JSONReader.wrong("password", Password.shape)
            }
            guard let grants = try body.grants() else { throw JSONReader.wrong("grants", JSONReader.grantsShape) }
            try body.finish()
            return Self.respond(
                .created, try await users.create(name, grants: grants, password: password, by: call.author))
        }
        routes.add(.patch, Self.one, .admin, to: &router, idempotency: Self.keyless, hasTag: true) {
            call throws(PlatformError) in
            let name = try call.parameters.read(.user)
            var body = try await call.json()
            let hasFactor = try body.bool("totp")
            guard hasFactor != true else {
                throw JSONReader.wrong("totp", "false, which removes the second factor; only the user can begin one")
            }
            let change = Users.Change(
                grants: try body.grants(), isDisabled: try body.bool("disabled"),
                password: try body.newPassword("password"), removesSecondFactor: hasFactor == false)
            try body.finish()
            guard
                change.grants != nil || change.isDisabled != nil || change.password != nil
                    || change.removesSecondFactor
            else {
                throw PlatformError(
                    .invalidRequest, "Give 'grants', 'disabled', 'password' or 'totp': false, which removes it.")
            }
            let user = try await users.change(name, change, ifMatch: call.precondition, by: call.author)
            endStreams(of: user, call)
            return Self.respond(.ok, user)
        }
        routes.add(.delete, Self.one, .admin, to: &router, hasTag: true) { call throws(PlatformError) in
            let user = try await users.delete(
                try call.parameters.read(.user), ifMatch: call.precondition, by: call.author)
            endStreams(of: user, call)
            if !call.author.isRehearsing { try? await routes.services.uploads.deleteAll(of: .user(user.id)) }
            return .json(.ok, .object(Self.members(of: user)))
        }
        addOwn(to: &router)
    }

    private func addOwn(to router: inout OperatorRouter) {
        let (users, publicURL) = (routes.services.users, routes.publicURL)
        routes.add(.put, "/user/password", .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let person = try call.author.requirePerson()
            var body = try await call.json()
            guard let current = try body.string("current") else {
                throw JSONReader.wrong("current", "the current password")
            }
            guard let new = try body.newPassword("new") else { throw JSONReader.wrong("new", Password.shape) }
            try body.finish()
            try await users.replacePassword(Password(current), with: new, by: call.author)
            return .json(.ok, .object(["user": .string(person.name.text)]))
        }
        routes.add(.post, Self.secondFactor, .viewer, to: &router, scope: .any, idempotency: Self.latest) {
            call throws(PlatformError) in
            let person = try call.author.requirePerson()
            let factor = try await users.beginSecondFactor(try await Self.password(call), by: call.author)
            // A dry run's secret is not stored, so it is not shown either.
            guard !call.author.isRehearsing else { return .json(.ok, .object(["user": .string(person.name.text)])) }
            return .json(
                .created,
                .object([
                    "user": .string(person.name.text), "secret": .string(Base32.encode(factor.secret)),
                    "uri": .string(factor.uri(of: person.name, at: publicURL.host)),
                ]))
        }
        routes.add(
            .post, Self.secondFactor + "/confirm", .viewer, to: &router, scope: .any, idempotency: .keepsOutcome
        ) { call throws(PlatformError) in
            var body = try await call.json()
            guard let code = try body.string("code") else {
                throw JSONReader.wrong("code", "the present six digits of the authenticator app")
            }
            try body.finish()
            return Self.respond(try await users.confirmSecondFactor(by: code, call.author), call)
        }
        routes.add(.delete, Self.secondFactor, .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let person = try call.author.requirePerson()
            try await users.removeSecondFactor(by: call.author)
            return .json(.ok, .object(["user": .string(person.name.text)]))
        }
        routes.add(
            .post, "/user/recovery-codes", .viewer, to: &router, scope: .any, idempotency: Self.latest
        ) { call throws(PlatformError) in
            _ = try call.author.requirePerson()
            let password = try await Self.password(call)
            return Self.respond(try await users.replaceRecoveryCodes(password, by: call.author), call)
        }
    }

    /// Reads a body that has only the password of the user, which a stolen session lacks.
    private static func password(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Password {
        var body = try await call.json()
        guard let text = try body.string("password") else {
            throw JSONReader.wrong("password", "the password of the user")
        }
        try body.finish()
        return Password(text)
    }

    private func endStreams(of user: User, _ call: OperatorRoutes.Call) {
        if !call.author.isRehearsing { routes.services.auditFollower.end(.user(user.id)) }
    }

    /// Responds with recovery codes, which only this response contains; a dry run's codes are not stored.
    private static func respond(_ codes: [String], _ call: OperatorRoutes.Call) -> Response {
        let shown = call.author.isRehearsing ? [] : codes
        return .json(.ok, .object(["recoveryCodes": .array(shown.map { .string($0) })]))
    }

    private static func respond(_ status: Status, _ user: User) -> Response {
        .json(status, .object(members(of: user)), fields: [.etag: "\"\(user.revision)\""])
    }

    private static func members(of user: User) -> [JSON.Member] {
        let members: [JSON.Member] = [
            .init("id", .integer(user.id.value)), .init("name", .string(user.name.text)),
            .init("grants", JSON(grants: user.grants)), .init("disabled", .bool(user.isDisabled)),
        ]
        return members + user.signInMembers + [.init("createdAt", .string(user.createdAt.rfc3339))]
            + (user.signedInAt.map { [.init("signedInAt", .string($0.rfc3339))] } ?? [])
    }
}

extension User {
    /// How the user signs in: by password or by a provider, and whether a code is needed.
    var signInMembers: [JSON.Member] {
        [.init("kind", provider == nil ? "password" : "oidc"), .init("totp", .bool(hasSecondFactor))]
            + (provider.map { [.init("provider", .string($0.text))] } ?? [])
    }
}

extension JSONReader {
    static let grantsShape =
        "a list of 1 to \(User.maximumGrants) objects with 'role' and, for a scope, 'app' and 'channel'"

    /// Takes the grants of a user, or of a group of a sign-in provider.
    mutating func grants() throws(PlatformError) -> [Grant]? {
        guard let value = takeValue("grants") else { return nil }
        guard let elements = value.elements, (1...User.maximumGrants).contains(elements.count) else {
            throw Self.wrong("grants", Self.grantsShape)
        }
        var grants: [Grant] = []
        for element in elements {
            var reader = try JSONReader(element)
            grants.append(try reader.grant())
            try reader.finish()
        }
        return grants
    }

    /// Takes a password that is to be set.
    fileprivate mutating func newPassword(_ key: String) throws(PlatformError) -> Password? {
        guard let text = try string(key) else { return nil }
        guard let password = Password(new: text) else { throw Self.wrong(key, Password.shape) }
        return password
    }
}
