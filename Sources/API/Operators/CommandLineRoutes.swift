import Domain
import Ground
import HTTP
import Platform

/// The routes by which a command line is signed in as the user who agrees in the console (decision 0089).
struct CommandLineRoutes {
    let routes: OperatorRoutes

    private static let root = "/command-line"
    private static let one = root + "/{request}"

    func add(to router: inout OperatorRouter) {
        addOpen(to: &router)
        let signIn = routes.services.commandLineSignIn
        routes.add(.get, Self.one, .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let request = try await signIn.request(try call.parameters.read(.commandLine), for: call.author)
            return .json(.ok, .object(Self.members(of: request)))
        }
        routes.add(.post, Self.one + "/agree", .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let code = try call.parameters.read(.commandLine)
            try (try await call.json()).finish()
            let session = try await signIn.agree(to: code, by: call.author)
            return .json(.ok, .object(SessionRoutes.members(of: session, isOwn: false)))
        }
        routes.add(.post, Self.one + "/refuse", .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let code = try call.parameters.read(.commandLine)
            try (try await call.json()).finish()
            try await signIn.refuse(code, by: call.author)
            return .json(.ok, .object(["code": .string(code.text)]))
        }
    }

    private func addOpen(to router: inout OperatorRouter) {
        let (routes, signIn) = (routes, routes.services.commandLineSignIn)
        routes.addOpen(
            .post, Self.root,
            unneeded: "This request needs no 'Idempotency-Key': a request that is left over ends by itself.",
            to: &router
        ) { head, body throws(PlatformError) in
            var body = body
            guard let machine = try body.string("machine").flatMap(MachineName.init) else {
                throw JSONReader.wrong("machine", "the name of the machine: \(MachineName.shape)")
            }
            guard let digest = try body.string("secretHash").flatMap(SHA256Digest.init(hex:)) else {
                throw JSONReader.wrong("secretHash", "the SHA-256 of the secret, in 64 hex digits in lower case")
            }
            try body.finish()
            let request = try await signIn.begin(
                secretHash: digest, on: machine, from: head.client.group.description, at: head.client.description)
            return .json(.created, .object(Self.members(of: request) + Self.way(to: request, routes)))
        }
        routes.addOpen(
            .post, Self.root + "/answer", unneeded: "This request needs no 'Idempotency-Key': it changes nothing.",
            to: &router
        ) { _, body throws(PlatformError) in
            var body = body
            guard let secret = try body.string("secret") else {
                throw JSONReader.wrong("secret", "the secret of the command line")
            }
            try body.finish()
            return .json(.ok, .object(Self.members(of: try await signIn.answer(to: secret))))
        }
    }

    private static func members(of request: CommandLineRequest) -> [JSON.Member] {
        [
            .init("code", .string(request.code.text)), .init("machine", .string(request.machine.text)),
            .init("address", .string(request.address)), .init("createdAt", .string(request.createdAt.rfc3339)),
            .init("expiresAt", .string(request.end.rfc3339)),
        ]
    }

    /// Returns how a command line goes on: the page of the console, if the server knows its own URL, and the pause between
    /// two questions.
    private static func way(to request: CommandLineRequest, _ routes: OperatorRoutes) -> [JSON.Member] {
        let page = "\(routes.publicURL.text)/console/#\(root)/\(request.code)"
        return (routes.isPublicURLSet ? [.init("url", .string(page))] : [])
            + [.init("pollSeconds", .integer(Int64(CommandLineSignIn.pollSeconds)))]
    }

    private static func members(of answer: CommandLineSignIn.Answer) -> [JSON.Member] {
        switch answer {
        case .waiting: [.init("state", .string("waiting"))]
        case .refused: [.init("state", .string("refused"))]
        case .agreed(let session, let user):
            [
                .init("state", .string("agreed")), .init("user", .string(user.name.text)),
                .init("grants", JSON(grants: user.grants)), .init("expiresAt", .string(session.end.rfc3339)),
            ]
        }
    }
}
