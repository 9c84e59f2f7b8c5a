import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests each route of the operators' API with each role in each scope (decision 0079).
@Suite(.scratchMemory, .timeLimit(.minutes(10)))
struct PermissionTableTests {
    private static let table = OperatorRoute.all + OperatorRoute.others

    private static func scopes() throws -> [Scope] {
        let other = try #require(AppID("other"))
        let beta = try #require(ChannelName("beta"))
        return [
            .everything, .app(.default), .app(other), .channel(.production, of: .default), .channel(beta, of: .default),
        ]
    }

    /// Returns the status that the declaration of a route requires for the holder of a grant.
    private static func expected(_ route: OperatorRoute, _ grant: Grant) -> ClosedRange<Int> {
        let isOfDefault = grant.scope.app == nil || grant.scope.app == .default
        let hasScope =
            switch route.scope {
            case "any": true
            case "everything": grant.scope == .everything
            case "app": grant.scope.contains(.app(.default))
            // The tests' releases are on the channel production; reading needs a grant for any part of the app.
            case "channel" where route.role == .viewer: isOfDefault
            default: grant.scope.contains(.channel(.production, of: .default))
            }
        if hasScope, grant.role >= route.role { return 200...299 }
        // An operator without any grant in the app learns nothing of it.
        return ["app", "channel"].contains(route.scope) && !isOfDefault ? 404...404 : 403...403
    }

    @Test func `the table has every route with the role and the scope that the API declares`() async throws {
        let desk = try await Desk()
        let declared = try #require(try await desk.call("GET", Desk.api).json["routes"]?.elements)
        var left: [String: String] = [:]
        for route in declared {
            let (method, path) = (try #require(route["method"]?.string), try #require(route["path"]?.string))
            left["\(method) \(path)"] = "\(route["role"]?.string ?? "") \(route["scope"]?.string ?? "")"
        }
        // Signing in needs no role.
        #expect(left.removeValue(forKey: "POST /api/v1/session") == " any")
        #expect(left.removeValue(forKey: "POST /api/v1/command-line") == " any")
        #expect(left.removeValue(forKey: "POST /api/v1/command-line/answer") == " any")
        #expect(left.removeValue(forKey: "POST /api/v1/ci-tokens") == " any")
        for path in ["providers", "oidc/{provider}", "oidc/{provider}/callback"] {
            #expect(left.removeValue(forKey: "GET /api/v1/session/\(path)") == " any")
        }
        var found: Set<String> = []
        for route in Self.table + OperatorRoute.personal {
            let target = route.target.split(separator: "?")[0]
            let patterns = left.keys.filter { name in
                let parts = name.split(separator: " ")
                return parts[0] == route.method && Self.matches(parts[1], target)
            }
            // Of several patterns the one with the fewest parameters is meant.
            let pattern = try #require(
                patterns.min { $0.count { $0 == "{" } < $1.count { $0 == "{" } }, "\(route.testDescription)")
            #expect(left[pattern] == "\(route.role.rawValue) \(route.scope)", "\(route.testDescription)")
            found.insert(pattern)
        }
        #expect(Set(left.keys).subtracting(found) == [], "missing in the table")
    }

    private static func matches(_ pattern: Substring, _ path: Substring) -> Bool {
        let (parts, names) = (pattern.split(separator: "/"), path.split(separator: "/"))
        return parts.count == names.count
            && zip(parts, names).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    @Test(arguments: table)
    func `a route permits exactly the roles and scopes that it declares`(route: OperatorRoute) async throws {
        let desk = try await Desk()
        for app in ["other"] { _ = try await desk.call("PUT", Desk.api + "/apps/\(app)") }
        _ = try await desk.call("PUT", Desk.api + "/apps/default/channels/beta")
        try await desk.service.publishSample("1.0.0")
        for scope in try Self.scopes() {
            for role in Role.allCases {
                let grant = Grant(role, on: scope)
                let secret = try await desk.service.makeToken(role, on: scope)
                var request = try await desk.request(route, authorization: "Bearer \(secret)", subjects: scope)
                if route.method == "POST", route.path == "/tokens" {
                    let role = JSON.object(Grant(.viewer, on: scope).members)
                    request.body = JSON.object([.init("name", "ci")] + (role.members ?? [])).bytes()
                }
                let status: Int
                if route.path.hasSuffix("/events"), Self.expected(route, grant).contains(200) {
                    // Throws unless the response is a stream.
                    status = 200
                    try await desk.service.follow(request).leave()
                } else {
                    let response = try await desk.service.send(request)
                    status = response.status
                    if status == 403, route.method != "HEAD" {
                        #expect(response.code == "forbidden" && response.detail.contains("'\(role.rawValue)'"))
                    }
                    if status == 404, route.method != "HEAD" { #expect(response.code == "app-not-found") }
                }
                #expect(Self.expected(route, grant).contains(status), "\(grant.words): \(status)")
            }
        }
        let request = try await desk.request(route, authorization: nil)
        #expect(try await desk.service.send(request).status == 401)
    }

    @Test(arguments: OperatorRoute.personal)
    func `the routes of the user who is signed in permit every role, and no token`(route: OperatorRoute) async throws {
        let desk = try await Desk()
        let body: JSON? =
            switch route.path {
            case "/user/password": .object(["current": "wrong", "new": .string(Desk.password)])
            case "/user/totp/confirm": .object(["code": "1"])
            case "/user/totp" where route.method == "POST", "/user/recovery-codes": Desk.ownPassword
            default: nil
            }
        for role in Role.allCases {
            let secret = try desk.token(role)
            let refused = try await desk.service.send(
                TestRequest(route.method, route.target, body: body.map { $0.bytes() }).by(secret))
            // An admin may end the sessions of others; none has this number.
            let isAdmins = role == .admin && route.path == "/sessions/0"
            #expect(refused.status == (isAdmins ? 404 : 403), "\(refused.text)")
            let name = "user-\(role)"
            try await desk.makeUser(name, Grant(role, on: .channel(.production, of: .default)))
            let person = try await desk.signIn(name)
            let path = route.path.replacing("/sessions/0", with: "/sessions/\(person.id)")
            let response = try await desk.call(route.method, path, body, as: person)
            // The wrong password, a second factor that was not begun, and an unknown code are found by the handlers.
            let isWrong = body != nil && route.path != "/user/totp" || route.path.hasPrefix("/command-line")
            #expect((200...299).contains(response.status) == !isWrong, "\(response.text)")
            #expect(response.code != "unauthorized" && !response.detail.contains("has the role"))
        }
        let request = TestRequest(route.method, route.target, body: body.map { $0.bytes() })
        #expect(try await desk.service.send(request).status == 401)
    }
}
