import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReleaseRouteTests {
    private func ready(_ versions: String...) async throws -> Desk {
        let desk = try await Desk()
        for version in versions { try await desk.service.publishSample(version) }
        return desk
    }

    private func release(_ desk: Desk, _ members: KeyValuePairs<String, JSON?>) async throws -> TestResponse {
        try await desk.call("POST", Desk.news + "/releases", .object(members))
    }

    private func states(_ desk: Desk) async throws -> [String] {
        let list = try await desk.call("GET", Desk.news + "/releases").json["releases"]?.elements ?? []
        return list.map { "\($0["version"]?.string ?? "") \($0["state"]?.string ?? "")" }
    }

    @Test func `a release is made at once, and shown with all that it is`() async throws {
        let desk = try await ready("1.0.0")
        let response = try await release(desk, ["version": "1.0.0", "mandatory": true])
        #expect(response.status == 201)
        let now = desk.service.clock.now()
        let json = try response.json
        #expect(json["version"] == "1.0.0" && json["channel"] == "production" && json["package"] == "news")
        #expect(json["mandatory"] == .bool(true) && json["state"] == "active")
        #expect(json["activeTime"]?.string == now.rfc3339 && json["createdAt"]?.string == now.rfc3339)
        #expect(json["rank"]?.integer == now.milliseconds * 1000)
        #expect(json["shadows"] == .array([]) && json["shadowedBy"] == .array([]))
        #expect(try await states(desk) == ["1.0.0 active"])
    }

    @Test func `the operator of a Wednesday hotfix is warned of the release planned for Friday`() async throws {
        let desk = try await ready("1.0.0", "2.0.0", "1.0.1")
        let first = try await release(desk, ["version": "1.0.0"]).json
        desk.service.clock.advance(milliseconds: 1000)
        let friday = desk.service.fromNow(4 * 86_400_000)
        let planned = try await release(desk, ["version": "2.0.0", "activeTime": .string(friday.rfc3339)])
        #expect(try planned.json["state"] == "scheduled")
        desk.service.clock.advance(milliseconds: 2 * 86_400_000)
        let hotfix = try await release(desk, ["version": "1.0.1"]).json
        let other = JSON.object([
            "from": .string(friday.rfc3339), "release": try planned.json["id"], "version": "2.0.0",
        ])
        #expect(hotfix["shadowedBy"] == .array([other]))
        #expect(hotfix["shadows"]?.elements?.map { $0["release"] } == [first["id"]])
        #expect(try await states(desk) == ["2.0.0 scheduled", "1.0.1 active", "1.0.0 superseded"])
        desk.service.clock.set(to: friday)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await states(desk) == ["2.0.0 active", "1.0.1 superseded", "1.0.0 superseded"])
        // A clock set back changes neither releases nor their states.
        desk.service.clock.advance(milliseconds: -1000)
        #expect(try await states(desk) == ["2.0.0 active", "1.0.1 superseded", "1.0.0 superseded"])
    }

    @Test func `an activeTime may have any offset, and one in the past means now`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        desk.service.clock.set(to: try #require(Timestamp(rfc3339: "2026-06-01T00:00:00Z")))
        let later = try await release(desk, ["version": "1.0.0", "activeTime": "2026-07-01T08:00:00+08:00"])
        #expect(try later.json["activeTime"] == "2026-07-01T00:00:00Z")
        let past = try await release(desk, ["version": "2.0.0", "activeTime": "2026-05-01T00:00:00Z", "now": true])
        #expect(try past.json["state"] == "active")
        #expect(try past.json["rank"]?.integer == desk.service.clock.now().milliseconds * 1000)
    }

    @Test(
        arguments: [
            ([.init("version", .null)], "version"), ([.init("version", "a..b")], "version"),
            ([.init("version", 1)], "version"),
            ([], "version"), ([.init("version", "1.0.0"), .init("activeTime", "tomorrow")], "activeTime"),
            ([.init("version", "1.0.0"), .init("activeTime", 1_767_225_600_000)], "activeTime"),
            ([.init("version", "1.0.0"), .init("mandatory", "yes")], "mandatory"),
            ([.init("version", "1.0.0"), .init("percentage", 10)], "percentage"),
        ] as [([JSON.Member], String)])
    func `an invalid or unknown member is named, and no release is made`(
        members: [JSON.Member], key: String
    ) async throws {
        let desk = try await ready("1.0.0")
        let response = try await desk.call("POST", Desk.news + "/releases", .object(members))
        #expect(response.status == 400 && response.detail.contains("'\(key)'"))
        #expect(try await states(desk) == [])
    }

    @Test func `an unknown version, channel or package is 404`() async throws {
        let desk = try await ready("1.0.0")
        #expect(try await release(desk, ["version": "9"]).code == "version-not-found")
        #expect(try await release(desk, ["version": "1.0.0", "channel": "none"]).code == "channel-not-found")
        #expect(try await release(desk, ["version": "1.0.0", "channel": "No"]).code == "channel-not-found")
        let other = try await desk.call(
            "POST", "/api/v1/apps/default/packages/other/releases", .object(["version": "1.0.0"]))
        #expect(other.code == "package-not-found" && other.status == 404)
        #expect(try await states(desk) == [])
    }

    @Test func `a release on another channel leaves this one alone`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await desk.call("PUT", "/api/v1/apps/default/channels/beta")
        _ = try await release(desk, ["version": "1.0.0"])
        let beta = try await release(desk, ["version": "2.0.0", "channel": "beta", "activeTime": .null])
        #expect(try beta.json["shadows"] == .array([]))
        #expect(try await states(desk).sorted() == ["1.0.0 active", "2.0.0 active"])
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct KeyRouteTests {
    private let path = "/api/v1/apps/default/keys"

    @Test func `keys are listed without a half that could forge`() async throws {
        let desk = try await Desk()
        let keys = try #require(try await desk.call("GET", path).json["keys"]?.elements)
        #expect(keys.map { $0["purpose"]?.string } == ["root", "signing", "legacy"])
        #expect(keys.map { $0["algorithm"]?.string } == ["ed25519", "ed25519", "rsa"])
        #expect(keys[2]["publicKey"] == nil && keys[2]["fingerprint"] == nil && keys[2]["privateHalf"] == .bool(true))
        let text = try await desk.call("GET", path).text
        for key in try await desk.service.store.keys(of: .default) {
            #expect(!text.contains(Base64.encode(key.privateKey ?? [])))
        }
    }

    @Test func `the legacy key is imported, and exported in its embedded form`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        let pair = try desk.service.cryptography.makeLegacyPair()
        let response = try await desk.send("PUT", path + "/legacy", try #require(pair.privatePEM))
        #expect(response.status == 200)
        #expect(try response.json["purpose"] == "legacy" && response.json["privateHalf"] == .bool(true))
        let id = try #require(try response.json["keyId"]?.string)
        let listed = try #require(try await desk.call("GET", path).json["keys"]?.elements)
        let own = { (id: String) in JSON.string("\(TestService.publicURL)/apps/default/legacy/\(id)") }
        let old = try #require(try desk.service.view().legacyKeys.first?.text)
        #expect(
            listed.suffix(2).map { $0["baseUrls"] } == [
                .array([.string(TestService.publicURL), own(old)]), .array([own(id)]),
            ])
        let export = try await desk.call("GET", path + "/legacy?keyId=\(id)")
        #expect(export.status == 200 && export.body == pair.privatePEM)
        // Without an id, the key of earlier clients.
        let first = try TestService.legacyPair.get().privatePEM
        #expect(try await desk.call("GET", path + "/legacy").body == first)
        #expect(export["Content-Type"] == "application/x-pem-file" && export["Cache-Control"] == "no-store")
        let entries = try #require(try await desk.call("GET", "/api/v1/audit").json["entries"]?.elements)
        #expect(entries.prefix(3).map { $0["action"]?.string } == ["key.export", "key.export", "key.import"])
        #expect(entries[0]["actor"]?.string?.hasPrefix("test admin (#") == true)
    }

    @Test func `a public half alone is imported, and cannot be exported as a private one`() async throws {
        let desk = try await Desk()
        let pair = try desk.service.cryptography.makeLegacyPair()
        let response = try await desk.send("PUT", path + "/legacy", pair.publicPEM)
        #expect(try response.json["privateHalf"] == .bool(false))
        let id = try #require(try response.json["keyId"]?.string)
        let export = try await desk.call("GET", path + "/legacy?keyId=\(id)")
        #expect(export.status == 404 && export.code == "key-not-found")
        #expect(!export.text.contains("BEGIN"))
    }

    @Test func `a signing key is made, announced to devices at once, and retired`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        func named() async throws -> [String] {
            let signed = try await desk.service.get("/keys.json").json["signed"]?.string.flatMap(Base64.decode)
            let keys = JSON(parsing: signed ?? [])?["keys"]?.elements ?? []
            return keys.compactMap { $0["keyId"]?.string }
        }
        func signers() async throws -> [String] {
            let signatures = try await desk.service.get("/config").json["news"]?["signatures"]?.elements ?? []
            return signatures.compactMap { $0["keyId"]?.string }
        }
        let old = try #require(try await named().first)
        let made = try await desk.call("POST", path, .object(["purpose": "signing"]))
        #expect(made.status == 201)
        let new = try #require(try made.json["keyId"]?.string)
        #expect(try made.json["purpose"] == "signing" && made.json["retiredAt"] == nil)
        #expect(try await named() == [old, new])
        #expect(try await signers() == [old, new])
        let retired = try await desk.call("POST", "\(path)/\(old)/retire")
        #expect(retired.status == 200)
        #expect(try retired.json["retiredAt"]?.string == desk.service.clock.now().rfc3339)
        #expect(try retired.json["privateHalf"] == .bool(false))
        #expect(try await named() == [new])
        #expect(try await signers() == [new])
        let list = try await desk.call("GET", path).json
        #expect(list["keys"]?.elements?.map { $0["purpose"]?.string } == ["root", "legacy", "signing"])
        #expect(list["retired"]?.elements?.map { $0["keyId"]?.string } == [old])
        let last = try await desk.call("POST", "\(path)/\(new)/retire")
        #expect(last.status == 409 && last.code == "conflict" && last.detail.contains("Make or import another"))
    }

    @Test func `a signing key is imported from its private half, once`() async throws {
        let desk = try await Desk()
        let made = try await desk.send("PUT", path + "/signing", TestService.signingPEM)
        #expect(try made.status == 201 && made.json["keyId"]?.string == TestService.signingKeyID)
        let again = try await desk.send("PUT", path + "/signing", TestService.signingPEM)
        #expect(again.status == 200)
        for response in [made, again] { #expect(!response.text.contains("PRIVATE")) }
        let half = try await desk.send("PUT", path + "/signing?half=private", TestService.signingPEM)
        #expect(half.status == 400 && half.detail.contains("'half'"))
        let wrong = try await desk.send("PUT", path + "/signing", Array("no key".utf8))
        #expect(wrong.status == 400 && wrong.code == "invalid-request")
        #expect(try wrong.json["reason"] == "key-unreadable" && wrong.detail.contains("openssl genpkey"))
    }

    @Test func `a new root key replaces the former one`() async throws {
        let desk = try await Desk()
        let old = try await desk.call("GET", path).json["keys"]?.elements?.first { $0["purpose"] == "root" }
        let made = try await desk.call("POST", path, .object(["purpose": "root"]))
        #expect(try made.status == 201 && made.json["purpose"] == "root" && made.json["privateHalf"] == .bool(true))
        let list = try await desk.call("GET", path).json
        let roots = list["keys"]?.elements?.filter { $0["purpose"] == "root" }
        #expect(try roots == [made.json])
        let retired = try #require(list["retired"]?.elements?.first)
        #expect(retired["keyId"] == old?["keyId"] && retired["privateHalf"] == .bool(false))
        let keys = try await desk.service.get("/keys.json").json
        let signers = keys["signatures"]?.elements?.map { $0["keyId"] }
        #expect(try signers == [made.json["keyId"]])
        let document = JSON(parsing: keys["signed"]?.string.flatMap(Base64.decode) ?? [])
        #expect(document?["rootHistory"]?.elements?.map { $0["publicKey"] } == [old?["publicKey"]])
        let id = try #require(try made.json["keyId"]?.string)
        let retiring = try await desk.call("POST", "\(path)/\(id)/retire")
        #expect(retiring.status == 409 && retiring.detail.contains("Generate another one to replace it"))
    }

    @Test(arguments: ["legacy", "artifacts", ""])
    func `keys of other purposes are not made`(purpose: String) async throws {
        let desk = try await Desk()
        let before = try await desk.service.store.keys(of: .default)
        let response = try await desk.call("POST", path, .object(["purpose": .string(purpose)]))
        #expect(response.status == 400 && response.detail.contains("'signing'"))
        #expect(try await desk.call("POST", path).status == 400)
        #expect(try await desk.service.store.keys(of: .default) == before)
    }

    @Test(arguments: ["0000000000000000", "x", "ABCDEFABCDEFABCD"])
    func `a missing key cannot be retired`(id: String) async throws {
        let response = try await Desk().call("POST", "\(path)/\(id)/retire")
        #expect(response.status == 404 && response.code == "key-not-found")
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func `an invalid key is refused, and the one in use stays`(text: String) async throws {
        let desk = try await Desk()
        let before = try await desk.service.store.keys(of: .default)
        let response = try await desk.send("PUT", path + "/legacy", Array(text.utf8))
        #expect(response.status == 400 && response.code == "invalid-request")
        #expect(try await desk.service.store.keys(of: .default) == before)
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct TokenRouteTests {
    @Test func `a token's secret is shown once, and never again`() async throws {
        let desk = try await Desk()
        let made = try await desk.call("POST", "/api/v1/tokens", .object(["name": "ci", "role": "releaser"]))
        #expect(made.status == 201)
        let secret = try #require(try made.json["token"]?.string)
        #expect(try made.json["role"] == "releaser" && made.json["revokedAt"] == nil)
        for target in ["/api/v1/tokens", "/api/v1/audit"] {
            let text = try await desk.call("GET", target).text
            #expect(text.contains("\"ci\"") && !text.contains(secret) && !text.contains(secret.dropFirst(7)))
        }
    }

    @Test(
        arguments: [
            ([.init("name", "ci")], "role"), ([.init("name", "ci"), .init("role", "root")], "role"),
            ([.init("role", "admin")], "name"), ([.init("name", ""), .init("role", "admin")], "name"),
            ([.init("name", "ci"), .init("role", "admin"), .init("expires", 1)], "expires"),
        ] as [([JSON.Member], String)])
    func `an invalid token request is refused`(members: [JSON.Member], word: String) async throws {
        let desk = try await Desk()
        let response = try await desk.call("POST", "/api/v1/tokens", .object(members))
        #expect(response.status == 400 && response.detail.contains(word))
    }

    @Test(arguments: ["99", "x", "-1", "1.0", "9223372036854775808"])
    func `a missing token is 404`(id: String) async throws {
        let response = try await Desk().call("DELETE", "/api/v1/tokens/\(id)")
        #expect(response.status == 404 && response.code == "token-not-found")
    }

    @Test func `the last admin token cannot be revoked`() async throws {
        let desk = try await Desk()
        let response = try await desk.call("DELETE", "/api/v1/tokens/\(Role.allCases.count)")
        #expect(response.status == 409)
        #expect(try await desk.call("GET", "/api/v1/tokens").status == 200)
    }

    @Test func `the audit log comes newest first, in pages`() async throws {
        let desk = try await Desk()
        for number in 0..<205 { try await desk.service.putPackage("p\(number)") }
        let first = try #require(try await desk.call("GET", "/api/v1/audit").json["entries"]?.elements)
        #expect(first.count == 200)
        #expect(first[0]["subject"] == "p204" && first[0]["action"] == "package.put" && first[0]["app"] == "default")
        #expect(first[0]["details"]?["priority"] == 999)
        let last = try #require(first.last?["id"]?.integer)
        let second = try #require(try await desk.call("GET", "/api/v1/audit?before=\(last)").json["entries"]?.elements)
        #expect(second.first?["id"]?.integer == last - 1)
        #expect(second.last?["id"]?.integer == 1)
        #expect(try await desk.call("GET", "/api/v1/audit?before=x").status == 400)
    }
}
