import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests which contents text patches start from (semantics.md §12).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ResourcePatchBasesTests {
    @Test func `a client whose list named two contents of a resource gets no patch of that one`() async throws {
        let service = try await TestService.withResources()
        func ship(_ version: String, at activeTime: Timestamp? = nil, _ script: String, _ style: String) async throws {
            try await service.publish(
                version, of: "app", ["index.html": "<p>", "app.js": script, "app.css": style])
            try await service.release(version, of: "app", at: activeTime)
        }
        try await ship("4.0.6", "old\n", "plain\n")
        let before = try await service.resources().version
        try await ship("4.1.0", at: service.fromNow(5000), "old\nnew\n", "plain\n")
        let ahead = try await service.resources().version
        #expect(ahead.hasSuffix(".4.0.6") && ahead != before)
        // The same holds for the coming version: the server does not know which of the two contents the client patches.
        #expect(try await service.resources(before).patched == ["app.js-2"])
        #expect(try await service.resources(ahead).patched.isEmpty)
        service.clock.advance(milliseconds: 5000)
        try await service.live.activate(service.app)
        try await ship("4.1.1", "old\nnew\nnewer\n", "plain\nfancy\n")
        #expect(try await service.resources(ahead).patched == ["app.css-2"])
        #expect(try await service.resources(before).patched == ["app.css-2", "app.js-3"])
        // The next process sends the same response.
        #expect(try await service.restarted().resources(ahead).patched == ["app.css-2"])
    }

    @Test func `rules that give a file another id lead to no patches from lists before them`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let before = try await service.resources().version
        let rule = ResourceRule(files: try #require(PathGlob("js/*")), resourceID: ResourceID("script"))
        try await service.putPackage("app", .init(resources: ResourceSettings(rules: [rule])))
        // Either list, the earlier or the later one, may have been sent with this sequence.
        let between = try await service.resources().version
        try await service.putPackage("app", .init(name: "Other"))
        let after = try await service.resources().version
        #expect(after != between)
        try await service.shipText("1.1")
        #expect(try await service.resources(before).patched.isEmpty)
        #expect(try await service.resources(between).patched.isEmpty)
        #expect(try await service.resources(after).patched == ["script-2"])
        // The initial rules again.
        try await service.putPackage("app", .init(resources: ResourceSettings()))
        #expect(try await service.resources(before).patched == ["js_app.js-2"])
        #expect(try await service.resources(after).patched.isEmpty)
    }

    @Test func `a client that moves to another channel is known by the list that it has`() async throws {
        let service = try await TestService.withResources()
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        let channel = "/apps/default/channels/beta/packages/app"
        try await service.shipText("1.0")
        try await service.release("1.0", of: "app", on: beta)
        let plain = try await service.resources(at: channel).version
        try await service.publish("1.1", of: "app", ["index.html": "<p>page", "js/app.js": "let version = '1.1'\n"])
        try await service.release("1.1", of: "app", on: beta, at: service.fromNow(5000))
        let ahead = try await service.resources(at: channel).version
        try await service.shipText("1.2")
        #expect(try await service.resources(plain).patched == ["js_app.js-3"])
        // In production no version was coming, and the tester's list has the same sequence.
        #expect(try await service.resources(ahead).patched.isEmpty)
    }

    @Test func `a device that moves to production finds no number with another content`() async throws {
        let service = try await TestService.withResources()
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        var contents: [String: [UInt8]] = [:]
        func visit() async throws {
            for base in ["/packages/app", "/apps/default/channels/beta/packages/app"] {
                let isThere = try await service.get(base + "/resources.json").status == 200
                for item in isThere ? try await service.resources(at: base).items : [] {
                    let bytes = try await service.download(item)
                    #expect(contents.updateValue(bytes, forKey: item.name) ?? bytes == bytes, "\(item.name)")
                }
            }
        }
        for (version, channels) in [
            ("1.0", [ChannelName.production]), ("1.1", [beta]), ("1.2", [beta, .production]), ("1.3", [beta]),
            ("1.4", [.production]), ("1.1", [.production, beta]),
        ] {
            if contents.isEmpty || !contents.values.contains(Array("let version = '\(version)'\n".utf8)) {
                let script = "let version = '\(version)'\n"
                try await service.publish(version, of: "app", ["index.html": "<p>page", "js/app.js": script])
            }
            for channel in channels { try await service.release(version, of: "app", on: channel) }
            try await visit()
        }
        #expect(contents.keys.filter { $0.hasPrefix("js_app.js-") }.count >= 5)
    }
}
