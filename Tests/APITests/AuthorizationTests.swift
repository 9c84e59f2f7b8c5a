import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct AuthorizationTests {
    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        return desk
    }

    @Test(arguments: OperatorRoute.all)
    func `every route accepts the role that it needs, and those above`(route: OperatorRoute) async throws {
        let desk = try await ready()
        for role in Role.allCases.sorted() {
            let response = try await desk.send(route, authorization: "Bearer \(desk.token(role))")
            if role >= route.role {
                #expect((200...299).contains(response.status), "\(role): \(response.status) \(response.text)")
                #expect(response["Cache-Control"] == "no-store")
            } else {
                #expect(response.status == 403 && response.isBodyUntouched)
                // The response to HEAD has no body.
                guard route.method != "HEAD" else { continue }
                #expect(response.code == "forbidden")
                #expect(
                    response.detail.contains("'\(role.rawValue)'")
                        && response.detail.contains("'\(route.role.rawValue)'"))
            }
            #expect(response["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(arguments: OperatorRoute.all)
    func `a request without a token is refused, and no byte of the body is read`(route: OperatorRoute) async throws {
        let desk = try await ready()
        let secret = try desk.token(.admin)
        for wrong in [
            nil, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer \(secret)0", "Bearer \(secret.uppercased())",
            "Basic \(secret)", secret, "Bearer\(secret)",
        ] {
            let response = try await desk.send(route, authorization: wrong)
            #expect(response.status == 401, "\(wrong ?? "none")")
            #expect(route.method == "HEAD" || response.code == "unauthorized")
            #expect(response["WWW-Authenticate"] == "Bearer realm=\"larder\"")
            #expect(response.isBodyUntouched)
            #expect(!response.text.contains(secret))
        }
    }

    @Test(arguments: Role.allCases)
    func `a token can read its own id, actor and role`(role: Role) async throws {
        let desk = try await ready()
        let response = try await desk.call("GET", "/api/v1/token", as: role)
        #expect(response.status == 200)
        #expect(try response.json["role"]?.string == role.rawValue)
        let id = try #require(try response.json["id"]?.integer)
        let listed = try #require(try await desk.call("GET", "/api/v1/tokens").json["tokens"]?.elements)
        #expect(listed.contains { $0["id"]?.integer == id && $0["role"]?.string == role.rawValue })
        #expect(try response.json["actor"]?.string?.hasSuffix("(#\(id))") == true)
        let secret = try desk.token(role)
        #expect(!response.text.contains(secret))
    }

    @Test func `a revoked token is refused`() async throws {
        let desk = try await ready()
        let made = try await desk.call("POST", "/api/v1/tokens", .object(["name": "ci", "role": "publisher"]))
        #expect(made.status == 201)
        let secret = try #require(try made.json["token"]?.string)
        let id = try #require(try made.json["id"]?.integer)
        let ask = TestRequest("GET", "/api/v1/apps").by(secret)
        #expect(try await desk.service.send(ask).status == 200)
        let revoked = try await desk.call("DELETE", "/api/v1/tokens/\(id)")
        #expect(revoked.status == 200)
        #expect(try revoked.json["revokedAt"]?.string == desk.service.clock.now().rfc3339)
        #expect(try await desk.service.send(ask).status == 401)
    }

    @Test func `the scheme is case-insensitive`() async throws {
        let desk = try await ready()
        let request = TestRequest("GET", "/api/v1/apps").with("authorization", "bEARER \(try desk.token(.publisher))")
        #expect(try await desk.service.send(request).status == 200)
    }

    @Test(arguments: Set(OperatorRoute.all.map { $0.path.split(separator: "?")[0] }).sorted())
    func `a preflight request to the operators' API allows no page anything`(path: Substring) async throws {
        let request = TestRequest("OPTIONS", Desk.api + path).with("Origin", "https://evil.example")
            .with("Access-Control-Request-Method", "GET").with("Access-Control-Request-Headers", "authorization")
        let service = try await TestService(hasLegacyKey: false)
        let response = try await service.send(request)
        #expect(response.status == 204)
        #expect(!response.fields.contains { $0.name.lowercased().hasPrefix("access-control") })
        let parts = (Desk.api + path).split(separator: "/")
        var known: Set<String> = []
        for route in service.application.routes {
            let (method, pattern) = (String(route.prefix { $0 != " " }), route.drop { $0 != " " }.dropFirst())
            let isMatch = pattern.split(separator: "/").elementsEqual(parts) { name, part in
                name == part || name.hasPrefix("{") && !name.hasSuffix("...}")
            }
            if isMatch { known.insert(method) }
        }
        let methods = response["Allow"]?.split(separator: ", ").map(String.init) ?? []
        #expect(Set(methods) == known.union(known.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]))
        #expect(methods.count == Set(methods).count)
    }
}
