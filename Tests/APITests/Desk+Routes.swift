import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

extension Desk {
    /// Sends a request to a route whose object permits it.
    func send(_ route: OperatorRoute, authorization: String?) async throws -> TestResponse {
        try await service.send(try await request(route, authorization: authorization))
    }

    /// Returns a request to a route, whose object exists in a state that permits it.
    ///
    /// - Parameter subjects: The scope of the tokens that the request is about.
    func request(
        _ route: OperatorRoute, authorization: String?, subjects: Scope = .everything
    ) async throws -> TestRequest {
        if route.path.hasSuffix("/unused") { try await makeUnused() }
        if route.method == "DELETE"
            || route.method == "GET" && ["/secret", "/shop"].contains(where: route.path.hasSuffix)
        {
            // An earlier call may have removed it.
            _ = try await service.waivers.putWaiver(
                for: .secret, at: nil, because: "r", of: service.putPackage(), by: .server)
            _ = try await service.pageGrants.putPageGrant(try Self.grant(), of: service.app, by: .server)
        }
        if route.path.contains("/builds/"), route.method != "PUT" {
            let build = try #require(HostBuild(appVersion: "8.3.0", apis: ["camera"]))
            _ = try await service.builds.putBuild(build, of: service.app, by: .server)
        }
        var target = route.target
        if route.path.contains("/keys/"), route.path.hasSuffix("/retire") {
            let keys = try await service.keys.keys(of: service.app.id)
            if keys.retired.contains(where: { $0.id.text == TestService.signingKeyID }) {
                // An earlier call has retired it, and another key has to remain.
                let others = keys.inUse.filter { $0.purpose == .signing }.dropFirst()
                var key = others.last
                if key == nil { key = try await service.keys.makeSigning(of: service.app, by: .server) }
                target = target.replacing(TestService.signingKeyID, with: try #require(key).id.text)
            } else {
                _ = try await service.keys.importSigning(
                    pem: TestService.signingPEM, of: service.app, by: .server)
            }
        }
        if route.path.hasSuffix("/keys/\(TestService.signingKeyID)") {
            _ = try await service.keys.importSigning(pem: TestService.signingPEM, of: service.app, by: .server)
        }
        if route.path.hasSuffix("/kill") { try await service.release("1.0.0") }
        if route.path.contains("/presets/8.3.0") {
            // An earlier call may have deleted it.
            _ = try await call(
                "POST", Self.api + "/apps/default/presets",
                .object(["appVersion": "8.3.0", "packages": .object(["news": "1.0.0"])]))
        }
        var request = TestRequest(route.method, target, body: try route.bytes)
        if let authorization { request = request.with("Authorization", authorization) }
        if route.path == "/ci-trusts/ci" {
            let trust = try OperatorRoute.ciTrust(on: subjects)
            let known = try await service.ciTrusts.trusts(for: .server).first
            if let known { _ = try await service.ciTrusts.remove(known.name, ifMatch: nil, by: .server) }
            if route.method == "PUT" {
                request.body = JSON.object(trust.members).bytes()
            } else {
                _ = try await service.ciTrusts.put(trust, ifMatch: nil, by: .server)
            }
        }
        if route.path == "/sign-in-providers/acme", route.method != "PUT" {
            // An earlier call may have deleted it.
            let put = try await call("PUT", route.target, OperatorRoute.signInProvider)
            try #require((200...201).contains(put.status), "\(put.text)")
        }
        if route.path.hasPrefix("/uploads/"), let path = try await newUpload(authorization) {
            request.target = path
        }
        if route.path.contains("/releases/0") {
            let id = try await newRelease(for: route)
            request.target = request.target.replacing("/releases/0", with: "/releases/\(id)")
        }
        if route.path.hasSuffix("/users/ann") {
            // An earlier call may have deleted it.
            let name = try #require(UserName("ann"))
            if try await service.store.user(name) == nil { try await makeUser("ann", Grant(.viewer, on: .everything)) }
        }
        if route.path.contains("/approvals/0") {
            // Only the operator who asked, or an admin, withdraws a request.
            let isOwn = route.path.hasSuffix("/withdraw")
            let id = try await newApproval(by: isOwn ? authorization : nil)
            request.target = request.target.replacing("/approvals/0", with: "/approvals/\(id)")
        }
        if route.path.contains("/tokens/0") {
            let (token, _) = try await service.tokens.create(
                name: "subject", role: .publisher, on: subjects, by: .server)
            request.target = request.target.replacing("/tokens/0", with: "/tokens/\(token.id)")
        }
        if route.path.contains("/webhooks") {
            // An app has a limited number of them.
            for webhook in try await service.webhooks.webhooks(of: service.app) {
                _ = try await service.webhooks.remove(webhook.id, of: service.app, by: .server)
            }
        }
        if route.path.contains("/webhooks/0") {
            let webhook = try await service.webhooks.make(
                .standard, url: Self.receiver, events: .all, secret: nil, of: service.app, by: .server)
            request.target = request.target.replacing("/webhooks/0", with: "/webhooks/\(webhook.id)")
        }
        if route.path.contains("/release-sets") {
            let id = try await newSet(for: route)
            request.target = request.target.replacing("/release-sets/0", with: "/release-sets/\(id)")
        }
        for (name, value) in route.fields { request = request.with(name, value) }
        return request
    }

    /// Creates a channel, a package and a device list that nothing refers to.
    func makeUnused() async throws {
        let name = try #require(ChannelName("unused"))
        _ = try await service.catalogue.declareChannel(name, of: service.app, by: .server)
        let package = try #require(PackageID("unused"))
        _ = try await service.catalogue.putPackage(package, .init(), of: service.app, by: .server)
        _ = try await send("PUT", Self.api + "/apps/default/device-lists/unused", Array("ann".utf8))
    }

    /// Creates an approval request, by this caller if the caller may release.
    private func newApproval(by authorization: String?) async throws -> Int64 {
        try await service.publishSample("1.0.0")
        _ = try await service.catalogue.putChannel(.production, approvals: 1, of: service.app, by: .server)
        let body = JSON.object(["version": "1.0.0", "again": true]).bytes()
        let other = "Bearer \(try await service.makeToken(.releaser))"
        for author in [authorization, other].compactMap(\.self) {
            let request = TestRequest("POST", Self.news + "/releases", body: body).with("Authorization", author)
            let response = try await service.send(request)
            if response.status == 202 { return try #require(try response.json["id"]?.integer) }
        }
        throw PlatformError(.internalError, "No approval request was made.")
    }

    /// Creates a release set in a state that permits the route.
    private func newSet(for route: OperatorRoute) async throws -> ReleaseSetID {
        let terms = ReleaseTerms(salt: .random(by: service.cryptography))
        var drafts: [ReleaseDraft] = []
        for id in ["common", "news"] {
            for version in ["0.9.0", "1.0.0"] { try await service.publishSample(version, of: id) }
            drafts.append(
                ReleaseDraft(
                    app: .default, package: try #require(PackageID(id)), channel: .production,
                    version: try #require(VersionString("1.0.0")), terms: terms,
                    activeTime: route.method == "PATCH" ? service.fromNow(1000) : nil))
        }
        let set = try await service.releaser.release(ReleaseRequest(setOf: drafts), by: .server).status.group.id
        if route.path.hasSuffix("/resume") {
            _ = try await service.releaser.apply(.pause, to: set, of: service.app, ifMatch: nil, by: .server)
        }
        guard case .set(let id) = set else { throw PlatformError(.internalError, "The set was made as a release.") }
        return id
    }

    private static func grant() throws -> PageGrant {
        PageGrant(
            name: try #require(GrantName("shop")), origin: try PageOrigin("https://shop.example"),
            path: try PagePath("/"), apis: ["camera"], expiresAt: Timestamp(milliseconds: 1))
    }

    /// Creates a release in a state that permits the route.
    private func newRelease(for route: OperatorRoute) async throws -> ReleaseID {
        if route.path.hasSuffix("/rollback") { try await service.publishSample("0.9.0") }
        let made = try await service.release(
            "1.0.0", at: route.method == "PATCH" ? service.fromNow(1000) : nil)
        if route.path.hasSuffix("/resume") {
            try await service.apply(.pause, to: made.release.id)
        }
        return made.release.id
    }

    /// Returns the path of an upload of this caller, or `nil` if the caller may create none.
    private func newUpload(_ authorization: String?) async throws -> String? {
        let request = TestRequest("POST", Self.api + "/uploads").with("Authorization", authorization ?? "")
            .with("Tus-Resumable", "1.0.0").with("Upload-Length", "1")
        let location = try await service.send(request)["Location"]
        return location.map { String($0.dropFirst(TestService.publicURL.count)) }
    }
}
