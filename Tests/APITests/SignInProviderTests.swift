import Domain
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

/// Tests the management of sign-in providers.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct SignInProviderTests {
    private static let all = Desk.api + "/sign-in-providers"

    private static func body(_ changes: [String: JSON?] = [:]) -> JSON {
        var members = Dictionary(
            uniqueKeysWithValues: (OperatorRoute.signInProvider.members ?? []).map { ($0.key, $0.value) })
        for (name, value) in changes { members[name] = value }
        return .object(members.map { .init($0.key, $0.value) })
    }

    private static func groups(_ count: Int, grants: Int = 1) -> JSON {
        .array(
            (0..<count).map { number in
                .object([
                    "group": .string("g\(number)"),
                    "grants": .array(Array(repeating: .object(["role": "viewer"]), count: grants)),
                ])
            })
    }

    private static func text(_ count: Int) -> JSON { .string(String(repeating: "a", count: count)) }

    @Test func `a provider is shown with its defaults, and never with its secret`() async throws {
        let desk = try await Desk()
        let made = try await desk.call("PUT", Self.all + "/acme", OperatorRoute.signInProvider)
        #expect(made.status == 201 && made["ETag"] == "\"1\"", "\(made.text)")
        let json = try made.json
        #expect(json["scopes"] == .array(["openid", "profile", "email", "groups"]))
        #expect(json["userClaim"] == "preferred_username" && json["groupsClaim"] == "groups")
        let group = json["groups"]?.elements?.first
        #expect(group?["group"] == "staff" && group?["grants"]?.elements?.map { $0["role"] } == ["viewer"])
        let one = try await desk.call("GET", Self.all + "/acme")
        let list = try await desk.call("GET", Self.all + "?text=id.example")
        #expect(try list.json["signInProviders"]?.elements?.count == 1)
        let audit = try await desk.call("GET", Desk.api + "/audit?action=sign-in-provider.put")
        let entry = try #require(try audit.json["entries"]?.elements?.first)
        #expect(entry["details"]?["replacesSecret"] == true && entry["details"]?["after"]?["label"] == "Acme")
        for text in [made.text, one.text, list.text, audit.text] { #expect(!text.contains("\"secret\"")) }
    }

    @Test(
        arguments: [
            (["issuer": nil], "issuer"), (["issuer": "ftp://id.example"], "http"),
            (["issuer": "http://id.example"], "https"),
            (["issuer": "https://10.0.0.1"], "not public"), (["label": ""], "label"), (["label": text(201)], "label"),
            (["label": "a\u{7}"], "label"), (["clientId": nil], "clientId"), (["clientSecret": nil], "clientSecret"),
            (["clientSecret": ""], "clientSecret"), (["clientSecret": "a b"], "clientSecret"),
            (["clientSecret": text(ClientSecret.maximumLength + 1)], "clientSecret"),
            (["scopes": .array([])], "scopes"),
            (["scopes": .array(["profile"])], "openid"), (["scopes": .array(["openid", "a b"])], "scopes"),
            (["scopes": .array(["openid"] + (1...20).map { .string("s\($0)") })], "scopes"),
            (["userClaim": ""], "userClaim"),
            (["groupsClaim": text(201)], "groupsClaim"), (["groups": nil], "groups"),
            (["groups": .array([])], "groups"),
            (["groups": groups(SignInProvider.maximumGroups + 1)], "groups"),
            (["groups": groups(11, grants: 50)], "groups"),
            (["groups": groups(1, grants: 51)], "grants"), (["groups": .array([.object(["group": "a"])])], "groups"),
            (
                [
                    "groups": .array([
                        .object(["group": text(201), "grants": .array([.object(["role": "viewer"])])])
                    ])
                ], "groups"
            ), (["groups": .array([1])], "object"), (["colour": "red"], "colour"),
        ] as [([String: JSON?], String)])
    func `a provider that is wrong is refused with what is wrong`(
        changes: [String: JSON?], hint: String
    ) async throws {
        let desk = try await Desk()
        let response = try await desk.call("PUT", Self.all + "/acme", Self.body(changes))
        #expect(response.status == 400 && response.text.contains(hint), "\(response.text)")
    }

    @Test(
        arguments: [
            ["label": text(200)], ["clientSecret": text(ClientSecret.maximumLength)],
            ["scopes": .array(["openid"] + (1...19).map { .string("s\($0)") })],
            ["groups": groups(SignInProvider.maximumGroups)], ["groups": groups(10, grants: 50)],
        ] as [[String: JSON?]])
    func `a provider at a limit is accepted`(changes: [String: JSON?]) async throws {
        let desk = try await Desk()
        let response = try await desk.call("PUT", Self.all + "/acme", Self.body(changes))
        #expect(response.status == 201, "\(response.text)")
    }

    @Test func `a group twice, an unknown app and a used issuer are refused`() async throws {
        let desk = try await Desk()
        let group = JSON.object(["group": "a", "grants": .array([.object(["role": "viewer", "app": "none"])])])
        #expect(
            try await desk.call("PUT", Self.all + "/acme", Self.body(["groups": .array([group])])).code
                == "app-not-found")
        let twice = try await desk.call("PUT", Self.all + "/acme", Self.body(["groups": .array([group, group])]))
        #expect(twice.status == 400, "\(twice.text)")
        #expect(try await desk.call("PUT", Self.all + "/acme", Self.body()).status == 201)
        let other = try await desk.call("PUT", Self.all + "/other", Self.body())
        #expect(other.status == 409 && other.detail.contains("'acme'"))
        #expect(try await desk.call("PUT", Self.all + "/No%20Name", Self.body()).status == 400)
    }

    @Test func `the number of providers is limited`() async throws {
        let desk = try await Desk()
        for number in 0...SignInProvider.maximumCount {
            let response = try await desk.call(
                "PUT", Self.all + "/p\(number)", Self.body(["issuer": .string("https://id\(number).example")]))
            #expect(response.status == (number < SignInProvider.maximumCount ? 201 : 409), "\(response.text)")
        }
    }

    @Test func `a secret is never sent to an issuer or a client that it was not given for`() async throws {
        let desk = try await Desk()
        #expect(try await desk.call("PUT", Self.all + "/acme", Self.body()).status == 201)
        for change: [String: JSON?] in [["issuer": "https://evil.example"], ["clientId": "other"]] {
            let changes = change.merging(["clientSecret": nil]) { $1 }
            let response = try await desk.call("PUT", Self.all + "/acme", Self.body(changes))
            #expect(response.status == 400 && response.detail.contains("clientSecret"), "\(response.text)")
        }
        let kept = try await desk.call("PUT", Self.all + "/acme", Self.body(["clientSecret": nil, "label": "A"]))
        #expect(kept.status == 200, "\(kept.text)")
        let stored = try await desk.service.store.signInProviders()
        #expect(stored.map(\.secret.text) == ["secret"] && "\(stored)".contains("a client secret"))
        let entries = try await desk.call("GET", Desk.api + "/audit?action=sign-in-provider.put").json["entries"]
        #expect(entries?.elements?.first?["details"]?["replacesSecret"] == false)
    }

    @Test func `a channel that a provider grants is not deleted`() async throws {
        let desk = try await Desk()
        let channel = Desk.api + "/apps/default/channels/beta"
        #expect(try await desk.call("PUT", channel).status == 201)
        let grant = JSON.object(["role": "viewer", "app": "default", "channel": "beta"])
        let groups = JSON.array([.object(["group": "a", "grants": .array([grant])])])
        #expect(try await desk.call("PUT", Self.all + "/acme", Self.body(["groups": groups])).status == 201)
        let refused = try await desk.call("DELETE", channel)
        #expect(refused.status == 409 && refused.detail.contains("'acme'"), "\(refused.text)")
        #expect(try await desk.call("PUT", Self.all + "/acme", Self.body()).status == 200)
        #expect(try await desk.call("DELETE", channel).status == 200)
    }
}
