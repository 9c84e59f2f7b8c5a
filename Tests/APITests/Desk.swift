import Domain
import Ground
import ServiceKit
import TestKit
import Testing

/// A service with an operator's token of each role.
struct Desk {
    let service: TestService
    private let tokens: [Role: String]

    static let api = "/api/v1"
    static let news = "/api/v1/apps/default/packages/news"
    static let webhooks = "/api/v1/apps/default/webhooks"
    /// A URL of a webhook whose address is not permitted, so that no test reaches the network.
    static let receiver = "http://localhost:9/hook"

    init(_ service: TestService) async throws {
        self.service = service
        var tokens: [Role: String] = [:]
        for role in Role.allCases { tokens[role] = try await service.makeToken(role) }
        self.tokens = tokens
    }

    init() async throws {
        try await self.init(try await TestService())
    }

    func token(_ role: Role) throws -> String { try #require(tokens[role]) }

    /// Sends a request with an optional JSON body.
    func call(
        _ method: String, _ target: String, _ body: JSON? = nil, as role: Role = .admin
    ) async throws -> TestResponse {
        let request = TestRequest(method, target, body: body.map { $0.bytes() })
        return try await service.send(try request.by(token(role)))
    }

    /// Sends a request with a body of bytes.
    func send(
        _ method: String, _ target: String, type: String? = nil, _ body: [UInt8], as role: Role = .admin,
        cutInto pieceSize: Int = 60_000
    ) async throws -> TestResponse {
        var request = try TestRequest(method, target, body: body).by(token(role)).cut(into: pieceSize)
        if let type { request = request.with("Content-Type", type) }
        return try await service.send(request)
    }

    /// Uploads a zip of these files.
    func upload(
        _ version: String, _ files: KeyValuePairs<String, String>, query: String = ""
    ) async throws -> TestResponse {
        try await send("POST", "\(Self.news)/versions?version=\(version)\(query)", StoredZip(files).bytes)
    }
}

/// One of the operators' routes.
struct OperatorRoute: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    let role: Role
    /// The scope as `GET /api/v1` shows it.
    let scope: String
    let body: JSON?
    let fields: [String: String]

    /// - Parameter scope: The scope; `nil` for the one of most routes: a part of an app to read it, all of an app to change
    ///   it, and everything for other objects.
    init(
        method: String, path: String, role: Role, scope: String? = nil, body: JSON? = nil,
        fields: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.role = role
        self.scope = scope ?? (!path.hasPrefix("/apps/") ? "everything" : role == .viewer ? "channel" : "app")
        self.body = body
        self.fields = fields
    }

    var testDescription: String { "\(method) \(path)" }

    /// The target without a prefix for all routes but that of the metrics.
    var target: String { path == "/metrics" ? path : Desk.api + path }

    /// The routes besides ``all`` that have no objects of their own: the list, the metrics and the event stream.
    static let others = [
        OperatorRoute(method: "GET", path: "", role: .viewer, scope: "any"),
        OperatorRoute(method: "GET", path: "/metrics", role: .viewer),
        OperatorRoute(method: "GET", path: "/apps/default/events", role: .viewer),
        OperatorRoute(method: "GET", path: "/apps/default/history", role: .viewer),
    ]

    /// All routes of the API with their bodies and required roles.
    static let all: [OperatorRoute] = {
        let package = "/apps/default/packages/news"
        // Stands for an upload that the caller creates.
        let upload = "/uploads/\(String(repeating: "0", count: 32))"
        let release = "/releases/0"
        let set = "/apps/default/release-sets/0"
        let tus = ["Tus-Resumable": "1.0.0"]
        let part = tus.merging(["Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"]) { $1 }
        let override = part.merging(["X-HTTP-Method-Override": "PATCH"]) { $1 }
        return [
            OperatorRoute(method: "GET", path: "/apps", role: .viewer, scope: "any"),
            OperatorRoute(method: "GET", path: "/apps/default", role: .viewer),
            OperatorRoute(method: "PUT", path: "/apps/shop", role: .admin, scope: "everything"),
            OperatorRoute(method: "GET", path: "/apps/default/health", role: .viewer),
            OperatorRoute(
                method: "PUT", path: "/apps/default/health", role: .releaser,
                body: .object(["rules": .array([.object(["metric": "crashes", "ceiling": 1])])])),
            OperatorRoute(method: "GET", path: "/apps/default/channels", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/channels/production", role: .viewer),
            OperatorRoute(method: "PUT", path: "/apps/default/channels/beta", role: .releaser),
            OperatorRoute(method: "DELETE", path: "/apps/default/channels/unused", role: .releaser),
            OperatorRoute(method: "GET", path: "/apps/default/packages", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/releases", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/search?text=news", role: .viewer),
            OperatorRoute(method: "GET", path: package, role: .viewer),
            OperatorRoute(method: "PUT", path: package, role: .publisher, body: .object(["name": "News"])),
            OperatorRoute(method: "DELETE", path: "/apps/default/packages/unused", role: .releaser),
            OperatorRoute(method: "GET", path: package + "/stats", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/stats", role: .viewer),
            OperatorRoute(method: "GET", path: package + "/adoption", role: .viewer),
            OperatorRoute(method: "GET", path: package + "/versions", role: .viewer),
            OperatorRoute(method: "GET", path: package + "/versions/1.0.0", role: .viewer),
            OperatorRoute(method: "POST", path: package + "/versions?version=1.0.0", role: .publisher),
            OperatorRoute(method: "GET", path: package + "/versions/1.0.0/archives", role: .viewer),
            OperatorRoute(method: "PUT", path: package + "/versions/1.0.0/archives/flat", role: .publisher),
            OperatorRoute(method: "GET", path: package + "/versions/1.0.0/files", role: .viewer),
            OperatorRoute(method: "GET", path: package + "/versions/1.0.0/diff/1.0.0", role: .viewer),
            OperatorRoute(
                method: "PUT", path: package + "/versions/1.0.0/notes", role: .publisher, body: .object(["notes": "n"])),
            OperatorRoute(
                method: "POST", path: package + "/versions/1.0.0/retire", role: .releaser,
                body: .object(["reason": "r"])),
            OperatorRoute(method: "POST", path: package + "/versions/1.0.0/unretire", role: .releaser),
            OperatorRoute(method: "GET", path: package + "/waivers", role: .viewer),
            OperatorRoute(method: "GET", path: package + "/waivers/secret", role: .viewer),
            OperatorRoute(
                method: "PUT", path: package + "/waivers/secret", role: .releaser, body: .object(["reason": "r"])),
            OperatorRoute(method: "DELETE", path: package + "/waivers/secret", role: .releaser),
            OperatorRoute(method: "GET", path: package + "/releases", role: .viewer),
            OperatorRoute(
                method: "POST", path: package + "/releases", role: .releaser, scope: "channel",
                body: .object(["version": "1.0.0", "again": true])),
            OperatorRoute(method: "GET", path: package + release, role: .viewer),
            OperatorRoute(
                method: "PATCH", path: package + release, role: .releaser, scope: "channel",
                body: .object(["activeTime": "9999-01-01T00:00:00Z"])),
            OperatorRoute(method: "POST", path: package + release + "/pause", role: .releaser, scope: "channel"),
            OperatorRoute(method: "POST", path: package + release + "/resume", role: .releaser, scope: "channel"),
            OperatorRoute(method: "POST", path: package + release + "/halt", role: .releaser, scope: "channel"),
            OperatorRoute(method: "POST", path: package + release + "/complete", role: .releaser, scope: "channel"),
            OperatorRoute(
                method: "POST", path: package + release + "/rollback", role: .releaser, scope: "channel",
                body: .object(["to": "0.9.0", "dryRun": true])),
            OperatorRoute(
                method: "POST", path: package + "/kill", role: .releaser, scope: "channel",
                body: .object(["to": "https://m.example.com", "dryRun": true])),
            OperatorRoute(method: "POST", path: package + "/online", role: .releaser, body: .object(["for": "1h"])),
            OperatorRoute(method: "DELETE", path: package + "/online", role: .releaser),
            OperatorRoute(method: "GET", path: package + release + "/readiness", role: .viewer),
            OperatorRoute(
                method: "POST", path: package + "/audience-estimate", role: .viewer,
                body: .object(["version": "1.0.0"])),
            OperatorRoute(method: "GET", path: "/apps/default/device-facts", role: .releaser, scope: "channel"),
            OperatorRoute(method: "GET", path: "/apps/default/release-sets", role: .viewer),
            OperatorRoute(
                method: "POST", path: "/apps/default/release-sets", role: .releaser, scope: "channel",
                body: .object(["versions": .object(["common": "1.0.0", "news": "1.0.0"]), "again": true])),
            OperatorRoute(method: "GET", path: set, role: .viewer),
            OperatorRoute(
                method: "PATCH", path: set, role: .releaser, scope: "channel",
                body: .object(["activeTime": "9999-01-01T00:00:00Z"])),
            OperatorRoute(method: "POST", path: set + "/pause", role: .releaser, scope: "channel"),
            OperatorRoute(method: "POST", path: set + "/resume", role: .releaser, scope: "channel"),
            OperatorRoute(method: "POST", path: set + "/halt", role: .releaser, scope: "channel"),
            OperatorRoute(method: "POST", path: set + "/complete", role: .releaser, scope: "channel"),
            OperatorRoute(
                method: "POST", path: set + "/rollback", role: .releaser, scope: "channel",
                body: .object(["to": .object(["common": "0.9.0", "news": "0.9.0"]), "dryRun": true])),
            OperatorRoute(method: "GET", path: "/apps/default/approvals", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/approvals/0", role: .viewer),
            OperatorRoute(
                method: "POST", path: "/apps/default/approvals/0/approve", role: .releaser, scope: "channel"),
            OperatorRoute(
                method: "POST", path: "/apps/default/approvals/0/reject", role: .releaser, scope: "channel"),
            OperatorRoute(
                method: "POST", path: "/apps/default/approvals/0/withdraw", role: .releaser, scope: "channel"),
            OperatorRoute(method: "GET", path: "/apps/default/device-lists", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/device-lists/unused", role: .viewer),
            OperatorRoute(method: "PUT", path: "/apps/default/device-lists/testers", role: .releaser),
            OperatorRoute(method: "DELETE", path: "/apps/default/device-lists/unused", role: .releaser),
            OperatorRoute(method: "GET", path: "/apps/default/devices/ann", role: .releaser),
            OperatorRoute(method: "DELETE", path: "/apps/default/devices/ann", role: .admin),
            OperatorRoute(method: "GET", path: "/apps/default/devices?id=ann", role: .releaser),
            OperatorRoute(method: "DELETE", path: "/apps/default/devices?id=ann", role: .admin),
            OperatorRoute(method: "GET", path: "/apps/default/builds", role: .viewer),
            OperatorRoute(
                method: "PUT", path: "/apps/default/builds/8.3.0", role: .publisher,
                body: .object(["apis": .array(["camera"])])),
            OperatorRoute(method: "GET", path: "/apps/default/builds/8.3.0", role: .viewer),
            OperatorRoute(method: "DELETE", path: "/apps/default/builds/8.3.0", role: .releaser),
            OperatorRoute(method: "GET", path: "/apps/default/page-grants", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/page-grants/shop", role: .viewer),
            OperatorRoute(
                method: "PUT", path: "/apps/default/page-grants/shop", role: .releaser,
                body: .object([
                    "origin": "https://shop.example", "path": "/", "apis": .array(["camera"]),
                    "expires": "9999-01-01T00:00:00Z",
                ])),
            OperatorRoute(method: "DELETE", path: "/apps/default/page-grants/shop", role: .releaser),
            OperatorRoute(method: "GET", path: "/apps/default/explain", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/presets", role: .viewer),
            OperatorRoute(
                method: "POST", path: "/apps/default/presets", role: .releaser,
                body: .object(["appVersion": "1", "packages": .object(["news": "1.0.0"])])),
            OperatorRoute(method: "GET", path: "/apps/default/presets/8.3.0", role: .viewer),
            OperatorRoute(method: "DELETE", path: "/apps/default/presets/8.3.0", role: .releaser),
            OperatorRoute(method: "GET", path: "/apps/default/presets/8.3.0/archive", role: .viewer),
            OperatorRoute(method: "GET", path: "/apps/default/keys", role: .admin),
            OperatorRoute(
                method: "GET", path: "/apps/default/keys/\(TestService.signingKeyID)", role: .admin),
            OperatorRoute(
                method: "POST", path: "/apps/default/keys", role: .admin, body: .object(["purpose": "signing"])),
            OperatorRoute(method: "PUT", path: "/apps/default/keys/signing", role: .admin),
            OperatorRoute(
                method: "POST", path: "/apps/default/keys/\(TestService.signingKeyID)/retire", role: .admin),
            OperatorRoute(method: "GET", path: "/apps/default/keys/legacy", role: .admin),
            OperatorRoute(method: "PUT", path: "/apps/default/keys/legacy", role: .admin),
            OperatorRoute(method: "GET", path: "/audit", role: .admin),
            OperatorRoute(method: "GET", path: "/system", role: .admin),
        ] + tokens + ciTrusts + users + signInProviders + webhooks + [
            OperatorRoute(
                method: "POST", path: "/uploads", role: .publisher, scope: "any",
                fields: tus.merging(["Upload-Length": "1"]) { $1 }),
            OperatorRoute(method: "HEAD", path: upload, role: .publisher, scope: "any", fields: tus),
            OperatorRoute(method: "PATCH", path: upload, role: .publisher, scope: "any", fields: part),
            OperatorRoute(method: "POST", path: upload, role: .publisher, scope: "any", fields: override),
            OperatorRoute(method: "DELETE", path: upload, role: .publisher, scope: "any", fields: tus),
            OperatorRoute(method: "POST", path: "/prune?dryRun=1", role: .admin),
        ]
    }()

    private static let ciTrusts = [
        OperatorRoute(method: "GET", path: "/ci-trusts", role: .admin, scope: "any"),
        OperatorRoute(method: "GET", path: "/ci-trusts/ci", role: .admin, scope: "any"),
        OperatorRoute(method: "PUT", path: "/ci-trusts/ci", role: .admin, scope: "any"),
        OperatorRoute(method: "DELETE", path: "/ci-trusts/ci", role: .admin, scope: "any"),
    ]

    /// Returns a CI trust whose tokens are publishers of a scope.
    static func ciTrust(on scope: Scope) throws -> CITrust {
        CITrust(
            name: try #require(CITrustName("ci")), issuer: "https://ci.example", audience: "larder",
            conditions: [try #require(ClaimCondition(claim: "project", pattern: "shop"))],
            grant: Grant(.publisher, on: scope), lifetimeSeconds: 900)
    }

    private static let signInProviders: [OperatorRoute] = {
        // The provider exists unless the route creates it.
        let one = "/sign-in-providers/acme"
        return [
            OperatorRoute(method: "GET", path: "/sign-in-providers", role: .admin),
            OperatorRoute(method: "GET", path: one, role: .admin),
            OperatorRoute(method: "PUT", path: one, role: .admin, body: signInProvider),
            OperatorRoute(method: "DELETE", path: one, role: .admin),
        ]
    }()

    /// The body of a sign-in provider whose issuer does not exist.
    static let signInProvider = JSON.object([
        "issuer": "https://id.example", "label": "Acme", "clientId": "larder", "clientSecret": "secret",
        "groups": .array([.object(["group": "staff", "grants": .array([.object(["role": "viewer"])])])]),
    ])

    private static let users: [OperatorRoute] = {
        // The user exists.
        let one = "/users/ann"
        let grants = JSON.array([.object(["role": "viewer"])])
        return [
            OperatorRoute(method: "GET", path: "/users", role: .admin),
            OperatorRoute(
                method: "POST", path: "/users", role: .admin,
                body: .object(["name": "bob", "password": .string(Desk.password), "grants": grants])),
            OperatorRoute(method: "GET", path: one, role: .admin),
            OperatorRoute(method: "PATCH", path: one, role: .admin, body: .object(["grants": grants])),
            OperatorRoute(method: "DELETE", path: one, role: .admin),
        ]
    }()

    /// The routes for the user who is signed in, which refuse every token.
    static let personal = [
        ("GET", "/session"), ("DELETE", "/session"), ("GET", "/sessions"), ("DELETE", "/sessions/0"),
        ("PUT", "/user/password"), ("POST", "/user/totp"), ("POST", "/user/totp/confirm"), ("DELETE", "/user/totp"),
        ("POST", "/user/recovery-codes"), ("GET", "/command-line/BDFG-HJKL"),
        ("POST", "/command-line/BDFG-HJKL/agree"), ("POST", "/command-line/BDFG-HJKL/refuse"),
    ].map { OperatorRoute(method: $0, path: $1, role: .viewer, scope: "any") }

    private static let tokens: [OperatorRoute] = {
        // Stands for a token that exists, of the scope that an admin needs.
        let one = "/tokens/0"
        return [
            OperatorRoute(method: "GET", path: "/token", role: .viewer, scope: "any"),
            OperatorRoute(method: "GET", path: "/tokens", role: .admin, scope: "any"),
            OperatorRoute(
                method: "POST", path: "/tokens", role: .admin, scope: "any",
                body: .object(["name": "ci", "role": "publisher"])),
            OperatorRoute(method: "GET", path: one, role: .admin, scope: "any"),
            OperatorRoute(method: "PATCH", path: one, role: .admin, scope: "any", body: .object(["name": "robot"])),
            OperatorRoute(method: "POST", path: one + "/rotate", role: .admin, scope: "any"),
            OperatorRoute(method: "DELETE", path: one, role: .admin, scope: "any"),
        ]
    }()

    private static let webhooks: [OperatorRoute] = {
        // Stands for a webhook that exists.
        let (all, one) = ("/apps/default/webhooks", "/apps/default/webhooks/0")
        return [
            OperatorRoute(method: "GET", path: all, role: .admin),
            OperatorRoute(
                method: "POST", path: all, role: .admin, body: .object(["url": .string(Desk.receiver)])),
            OperatorRoute(method: "GET", path: one, role: .admin),
            OperatorRoute(
                method: "PATCH", path: one, role: .admin, body: .object(["events": .array(["release.*"])])),
            OperatorRoute(method: "DELETE", path: one, role: .admin),
            OperatorRoute(method: "POST", path: one + "/rotate-secret", role: .admin),
            OperatorRoute(method: "POST", path: one + "/pause", role: .admin),
            OperatorRoute(method: "POST", path: one + "/resume", role: .admin),
            OperatorRoute(method: "POST", path: one + "/test", role: .admin),
            OperatorRoute(method: "GET", path: one + "/deliveries", role: .admin),
        ]
    }()

    /// A valid body of the route.
    var bytes: [UInt8]? {
        get throws {
            if path.contains("?version=") { return StoredZip(TestService.sample("1.0.0")).bytes }
            if path.hasSuffix("/device-lists/testers") { return Array("ann\n".utf8) }
            if path.hasSuffix("/keys/signing") { return TestService.signingPEM }
            if method == "PUT", path.hasSuffix("/legacy") { return try TestService.legacyPair.get().publicPEM }
            return body?.bytes()
        }
    }
}
