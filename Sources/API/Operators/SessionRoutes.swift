import Domain
import Ground
import HTTP
import Platform

/// The routes by which users sign in and out, and see and end their sessions.
struct SessionRoutes {
    let routes: OperatorRoutes

    private static let one = "/session"

    func add(to router: inout OperatorRouter) {
        addSignIn(to: &router)
        let sessions = routes.services.sessions
        routes.add(.get, Self.one, .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let person = try call.author.requirePerson()
            let own = try await sessions.sessions(of: person.user).first { $0.id == person.session }
            guard let own else { throw Self.isOver }
            let user = try await sessions.requireUser(person.name)
            return .json(
                .ok, .object(Self.members(of: call.author, person) + user.signInMembers + Self.ends(of: own)))
        }
        routes.add(.delete, Self.one, .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let person = try call.author.requirePerson()
            try await end(person.session, call)
            var response = Response.json(.ok, .object(["id": .integer(person.session)]))
            if !call.author.isRehearsing { response.fields[.setCookie] = SessionCookie.ending }
            return response
        }
        routes.add(.get, "/sessions", .viewer, to: &router, scope: .any, parameters: ["user"]) {
            call throws(PlatformError) in
            let user: UserID
            if let text = call.request.head.query["user"] {
                try call.author.require(.admin, on: .everything)
                user = try await sessions.requireUser(try NameKind.user.read(text)).id
            } else {
                user = try call.author.requirePerson().user
            }
            let list = try await sessions.sessions(of: user).map { session in
                JSON.object(Self.members(of: session, isOwn: session.id == call.author.person?.session))
            }
            return .json(.ok, .object(["sessions": .array(list)]))
        }
        routes.add(.delete, "/sessions/{session}", .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let id = try call.parameters.read(.session)
            try await end(id, call)
            return .json(.ok, .object(["id": .integer(id)]))
        }
    }

    private func end(_ id: Int64, _ call: OperatorRoutes.Call) async throws(PlatformError) {
        try await routes.services.sessions.end(id, by: call.author)
        if !call.author.isRehearsing { routes.services.auditFollower.end(session: id) }
    }

    private func addSignIn(to router: inout OperatorRouter) {
        let services = routes.services
        routes.addOpen(
            .post, Self.one, unneeded: "Signing in needs no 'Idempotency-Key': it may be repeated.", to: &router
        ) { head, body throws(PlatformError) in
            try await Self.signIn(body, head.client, services)
        }
    }

    private static func signIn(
        _ body: JSONReader, _ client: PeerAddress, _ services: Services
    ) async throws(PlatformError) -> Response {
        var body = body
        guard let name = try body.string("user") else { throw JSONReader.wrong("user", "the name of the user") }
        guard let password = try body.string("password") else {
            throw JSONReader.wrong("password", "the password of the user")
        }
        let code = try body.string("code")
        try body.finish()
        let signedIn: Sessions.SignedIn
        do throws(PlatformError) {
            signedIn = try await services.sessions.signIn(
                name, password: Password(password), code: code, from: client.group.description,
                at: client.description)
        } catch {
            if error.code == .unauthorized || error.code == .rateLimited {
                services.log.write("sign-in.refused", ["address": client.description, "code": error.code.rawValue])
            }
            throw error
        }
        let (session, user) = (signedIn.session, signedIn.user)
        let members: [JSON.Member] =
            [.init("user", .string(user.name.text)), .init("grants", JSON(grants: user.grants))]
            + Self.members(of: session, isOwn: true) + ends(of: session)
        var response = Response.json(.created, .object(members))
        response.fields[.setCookie] = SessionCookie.beginning(signedIn.secret)
        return response
    }

    private static let isOver = PlatformError(.unauthorized, "The session is over. Sign in again.")

    private static func members(of author: Operator, _ person: Operator.Person) -> [JSON.Member] {
        [
            .init("id", .integer(person.session)), .init("user", .string(person.name.text)),
            .init("actor", .string(author.name)), .init("grants", JSON(grants: author.grants)),
        ]
    }

    private static func ends(of session: Session) -> [JSON.Member] {
        [
            .init("idleUntil", .string(session.idleEnd.rfc3339)), .init("expiresAt", .string(session.end.rfc3339)),
        ]
    }

    /// Returns the description of a session.
    static func members(of session: Session, isOwn: Bool) -> [JSON.Member] {
        [
            .init("id", .integer(session.id)), .init("createdAt", .string(session.createdAt.rfc3339)),
            .init("lastUsedAt", .string(session.usedAt.rfc3339)), .init("address", .string(session.address)),
            .init("current", .bool(isOwn)),
        ] + (session.machine.map { [.init("machine", .string($0.text))] } ?? [])
    }
}

extension JSON {
    /// Creates the list of grants.
    init(grants: [Grant]) { self = .array(grants.map { .object($0.members) }) }
}
