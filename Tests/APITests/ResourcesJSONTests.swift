import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests each rule of seed 004's client (clients.md §1.4).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ResourcesJSONTests {
    private static let target = "/packages/app/resources.json"

    @Test func `P1: a client that sends its version gets patches, and any other gets the same list without patches`()
        async throws
    {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let old = try await service.resources()
        #expect(old.patched.isEmpty)
        try await service.shipText("1.1")
        #expect(try await service.resources(old.version).patched == ["js_app.js-2"])
        let whole = try await service.resources()
        #expect(whole.patched.isEmpty && whole.names == ["index.html-1", "js_app.js-2"])
        // A version that was never sent has the effect of none.
        for other in ["1.0", "7.9.9", "x.1.0", "", "1.1.0-beta"] {
            let response = try await service.resources(other)
            #expect(response.json == whole.json, "\(other)")
        }
        // A list that was never sent.
        for sequence in ["0", "9223372036854775807"] {
            #expect(try await service.resources("\(sequence).1.0").patched.isEmpty)
        }
        #expect(try await service.resources(whole.version).patched.isEmpty)
        // The next process sends the same response.
        #expect(try await service.restarted().resources(old.version).patched == ["js_app.js-2"])
    }

    @Test func `P2: patches start from the last 3 versions, or from a configured lowest one`() async throws {
        let service = try await TestService.withResources()
        var lists: [String] = []
        for minor in 0...4 {
            try await service.shipText("1.\(minor)")
            lists.append(try await service.resources().version)
        }
        func patched() async throws -> [Bool] {
            var patched: [Bool] = []
            for list in lists.dropLast() { patched.append(try await !service.resources(list).patched.isEmpty) }
            return patched
        }
        #expect(try await patched() == [false, true, true, true])
        try await service.putPackage("app", .init(resources: ResourceSettings(diffFrom: VersionString("1.0"))))
        #expect(try await patched() == [true, true, true, true])
        try await service.putPackage("app", .init(resources: ResourceSettings(diffFrom: VersionString("1.3"))))
        #expect(try await patched() == [false, false, false, true])
    }

    @Test func `P3: a patch of 5,000 characters is listed, and a longer one is not`() async throws {
        let service = try await TestService.withResources()
        func script(_ count: Int) -> String { "let a;\n" + String(repeating: "x", count: count) }
        func length(_ count: Int) throws -> Int {
            try #require(textPatch(from: Array(script(0).utf8), to: Array(script(count).utf8), limit: 9999)).utf8.count
        }
        let count = 5000 - (try length(4900) - 4900)
        #expect(try length(count) == 5000)
        try await service.shipText("1.0", script(0))
        let first = try await service.resources().version
        try await service.shipText("1.1", script(count))
        let second = try await service.resources().version
        #expect(try await service.resources(first).item("js_app.js").diff?.utf8.count == 5000)
        try await service.shipText("1.2", script(count + 1))
        #expect(try await service.resources(first).item("js_app.js").diff == nil)
        // The preceding version differs from it by one character.
        #expect(try await service.resources(second).item("js_app.js").diff != nil)
        try await service.putPackage("app", .init(resources: ResourceSettings(diffLimit: 5001)))
        #expect(try await service.resources(first).item("js_app.js").diff?.utf8.count == 5001)
        try await service.putPackage("app", .init(resources: ResourceSettings(diffLimit: 0)))
        #expect(try await service.resources(second).item("js_app.js").diff == nil)
    }

    @Test func `P3: the patches of a response have at most 262,144 characters, and the first ones are listed`()
        async throws
    {
        let service = try await TestService.withResources()
        func files(_ text: String) -> [(path: String, content: [UInt8])] {
            [("index.html", [1])] + (10..<75).map { ("f\($0).js", Array("let f\($0);\n\(text)".utf8)) }
        }
        let old = Array("let f10;\n".utf8)
        func length(_ count: Int) throws -> Int {
            let new = old + [UInt8](repeating: 0x78, count: count)
            return try #require(textPatch(from: old, to: new, limit: 9999)).utf8.count
        }
        let count = 4096 - (try length(4000) - 4000)
        #expect(try length(count) == 4096)
        var lists: [String] = []
        for (version, text) in [("1.0", ""), ("1.1", String(repeating: "x", count: count))] {
            try await service.publish(version, of: "app", zip: StoredZip(files(text)).bytes)
            try await service.release(version, of: "app")
            lists.append(try await service.resources().version)
        }
        #expect(try await service.resources(lists[0]).patched == (10..<74).map { "f\($0).js-2" })
    }

    @Test func `P4: the list and each resource have an activeTime, in the app's form`() async throws {
        let rule = ResourceRule(
            files: try #require(PathGlob("js/*")), activeTime: ManualClock().now().adding(milliseconds: 9000))
        let service = try await TestService.withResources(ResourceSettings(rules: [rule]))
        let release = try await service.shipText("1.0")
        let resources = try await service.resources()
        #expect(resources.json["activeTime"]?.string == release.activeTime.rfc3339)
        #expect(try resources.item("index.html").json["activeTime"]?.string == release.activeTime.rfc3339)
        #expect(try resources.item("js_app.js").json["activeTime"]?.string == rule.activeTime?.rfc3339)
        try await service.putPackage("app", .init(resources: ResourceSettings(timeFormat: .epochMilliseconds)))
        let again = try await service.resources()
        #expect(again.json["activeTime"]?.string == String(release.activeTime.milliseconds))
        #expect(try again.item("js_app.js").json["activeTime"]?.string == String(release.activeTime.milliseconds))
    }

    @Test func `P5: list versions are dotted numbers; versions and types of resources are integers`() async throws {
        let service = try await TestService.withResources()
        try await service.publish("1.0", of: "app", ["index.html": "x", "a.css": "y", "b.js": "z"])
        try await service.release("1.0", of: "app")
        let resources = try await service.resources()
        #expect(DottedVersion(resources.version) != nil)
        #expect(resources.items.map(\.number) == [1, 1, 1])
        #expect(resources.items.map { $0.json["type"] } == [3, 4, 1])
        #expect(resources.items.map { $0.json["MIMEType"] } == ["text/css", "text/javascript", "text/html"])
    }

    @Test func `P5: a version that cannot be put in order is refused`() async throws {
        let service = try await TestService.withResources()
        let error = await #expect(throws: PlatformError.self) {
            try await service.publish("1.0-beta", of: "app", ["index.html": "x"])
        }
        #expect(error?.code == .badPackage && error?.reason == "dialect")
        try await service.putPackage("app", .init(dialects: []))
        try await service.publish("1.0-beta", of: "app", ["index.html": "x"])
        let late = await #expect(throws: PlatformError.self) {
            try await service.putPackage("app", .init(dialects: [.resourcesJSON]))
        }
        #expect(late?.code == .conflict && late?.message.contains("1.0-beta") == true)
    }

    @Test func `P6: the list's version is the name of a file, and grows with every change, also when going back`()
        async throws
    {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        var versions = [try await service.resources().version]
        try await service.shipText("2.0")
        versions.append(try await service.resources().version)
        try await service.release("1.0", of: "app")
        versions.append(try await service.resources().version)
        try await service.putPackage("app", .init(isEnabled: false))
        versions.append(try await service.resources().version)
        let parts = try versions.map { try #require(DottedVersion($0)) }
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0 < $1 }, "\(versions)")
        #expect(versions.map { $0.split(separator: ".", maxSplits: 1)[1] } == ["1.0", "2.0", "1.0", "1.0"])
        #expect(versions.allSatisfy { $0.utf8.allSatisfy { "0123456789.".utf8.contains($0) } })
    }

    @Test func `P7: a number never means two contents, and counts up with every change, also when it changes back`()
        async throws
    {
        let service = try await TestService.withResources()
        var contents: [String: [UInt8]] = [:]
        var last: Int64 = 0
        for (version, script) in [("1.0", "a"), ("2.0", "b"), ("1.0", ""), ("3.0", "c"), ("2.0", ""), ("1.0", "")] {
            if script.isEmpty {
                try await service.release(version, of: "app")
            } else {
                try await service.shipText(version, script)
            }
            let response = try await service.resources()
            for item in response.items {
                let bytes = try await service.download(item)
                #expect(item.url.hasSuffix("/\(item.name)") && !item.id.contains("/"))
                #expect(contents.updateValue(bytes, forKey: item.name) ?? bytes == bytes, "\(item.name)")
            }
            let number = try response.item("js_app.js").number
            #expect(number > last)
            last = number
            #expect(try response.item("index.html").number == 1)
        }
        // The next process sends the same list.
        let restarted = try await service.restarted()
        #expect(try await restarted.resources().json == (try await service.resources().json))
    }

    @Test func `P7: a hotfix below a scheduled release renumbers that one`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        try await service.shipText("2.0", at: service.fromNow(60_000))
        #expect(try await service.resources().names == ["js_app.js-2", "index.html-1", "js_app.js-1"])
        try await service.shipText("1.1")
        #expect(try await service.resources().names == ["js_app.js-4", "index.html-1", "js_app.js-3"])
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        #expect(try await service.resources().names == ["index.html-1", "js_app.js-4"])
    }

    @Test func `P7: numbers are durable before a response names them`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let before = try await service.resources()
        service.store.setBefore(.numberResources) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "The disk is full.")
        }
        await #expect(throws: PlatformError.self) { try await service.shipText("1.1") }
        #expect(try await service.resources().json == before.json)
        service.store.setBefore(.numberResources, nil)
        // The number is added once there is room.
        try await service.live.activate(service.app)
        #expect(try await service.resources().names == ["index.html-1", "js_app.js-2"])
    }

    @Test func `P8: matchUrl is a regular expression that matches the page's own URL`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let resources = try await service.resources()
        func pattern(_ id: String) throws -> Regex<AnyRegexOutput> {
            try Regex(try #require(resources.item(id).json["matchUrl"]?.string))
        }
        #expect(try "https://example.com/news/js/app.js?v=1".wholeMatch(of: pattern("js_app.js")) != nil)
        #expect(try "https://example.com/js/app.js".firstMatch(of: pattern("js_app.js")) == nil)
        #expect(try "https://example.com/news/".wholeMatch(of: pattern("index.html")) != nil)
    }

    @Test(arguments: [#"{"rules":[{"files":"a","matchUrl":"("}]}"#, #"{"rule":[]}"#, "[]", #"{"diffLimit":-1}"#])
    func `P8: invalid settings are refused`(text: String) async throws {
        let desk = try await Desk()
        let path = "/api/v1/apps/default/packages/app"
        let settings = try #require(JSON(parsing: Array(text.utf8)))
        let response = try await desk.call("PUT", path, .object(["resources": settings]))
        #expect(response.status == 400 && response.code == "invalid-request", "\(response.text)")
        let good = try await desk.call("PUT", path, .object(["resources": .object(["diffLimit": 5120])]))
        #expect(try good.json["resources"]?["diffLimit"] == 5120)
        #expect(try await desk.call("GET", path).json["resources"] == (try good.json["resources"]))
    }

    @Test func `P9: every client gets the whole list, with removed resources until the activation time`() async throws {
        let service = try await TestService.withResources()
        try await service.publish("1.0", of: "app", ["index.html": "<p>1", "gone.js": "old", "same.css": "s"])
        try await service.release("1.0", of: "app")
        let first = try await service.resources()
        try await service.publish("2.0", of: "app", ["index.html": "<p>2", "fresh.js": "new", "same.css": "s"])
        try await service.release("2.0", of: "app", at: service.fromNow(5000))
        let names = ["fresh.js-1", "index.html-2", "gone.js-1", "index.html-1", "same.css-1"]
        let coming = try await service.resources(first.version)
        #expect(coming.names == names && coming.patched == ["index.html-2"])
        #expect(try await service.resources().names == names)
        #expect(coming.json["activeTime"] == first.json["activeTime"])
        service.clock.advance(milliseconds: 5000)
        try await service.live.activate(service.app)
        #expect(try await service.resources(coming.version).names == ["fresh.js-1", "index.html-2", "same.css-1"])
    }

    @Test func `P10: a client that must update gets 'mandatory'`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let old = try await service.resources().version
        #expect(try await service.resources(old).json["mandatory"] == false)
        try await service.shipText("1.1", isMandatory: true)
        #expect(try await service.resources(old).json["mandatory"] == true)
        let new = try await service.resources().version
        #expect(try await service.resources(new).json["mandatory"] == false)
        // Without the client's version it is unknown.
        #expect(try await service.resources().json["mandatory"] == nil)
    }

    @Test func `P11: a client with any version gets the newest list for it`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("2.0")
        try await service.shipText("1.0")
        for version in [nil, "0.0.1", "999999.2.0", "1.2.0", "1.1.0"] {
            let resources = try await service.resources(version)
            #expect(resources.version.hasSuffix(".1.0"), "\(version ?? "")")
            #expect(try await service.download(resources.item("js_app.js")) == Array("let version = '1.0'\n".utf8))
        }
    }

    @Test func `P12: the list states how a client puts it into use`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        #expect(try await service.resources().json["updateMode"] == "silent")
        let desk = try await Desk(service)
        let body: JSON = .object(["version": "1.0", "updateMode": "prompt"])
        #expect(try await desk.call("POST", "/api/v1/apps/default/packages/app/releases", body).status == 201)
        #expect(try await service.resources().json["updateMode"] == "prompt")
    }

    @Test func `P12: scheduled resources are listed ahead, beside the current ones`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let release = try await service.shipText("2.0", at: service.fromNow(5000))
        let resources = try await service.resources()
        #expect(resources.version.hasSuffix(".1.0"))
        let scripts = resources.items.filter { $0.id == "js_app.js" }
        #expect(scripts.map { $0.json["activeTime"]?.string }.first == release.activeTime.rfc3339)
        for (item, text) in zip(scripts, ["2.0", "1.0"]) {
            #expect(try await service.download(item) == Array("let version = '\(text)'\n".utf8))
        }
        service.clock.advance(milliseconds: 5000)
        try await service.live.activate(service.app)
        let switched = try await service.resources()
        #expect(switched.version.hasSuffix(".2.0") && switched.names == ["index.html-1", "js_app.js-2"])
        #expect(switched.json["activeTime"]?.string == release.activeTime.rfc3339)
    }

    @Test func `P12: a client switches at the activation time without another request`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let release = try await service.shipText("2.0", at: service.fromNow(5000))
        let ahead = try await service.resources()
        #expect(try ahead.inUse(at: release.activeTime.adding(milliseconds: -1)) == ["index.html-1", "js_app.js-1"])
        #expect(try ahead.inUse(at: release.activeTime) == ["index.html-1", "js_app.js-2"])
    }

    @Test func `P12: a scheduled first release is listed ahead, with its activeTime`() async throws {
        let service = try await TestService.withResources()
        let release = try await service.shipText("1.0", at: service.fromNow(5000))
        let resources = try await service.resources()
        #expect(resources.json["activeTime"]?.string == release.activeTime.rfc3339)
        #expect(resources.names == ["index.html-1", "js_app.js-1"])
        service.clock.advance(milliseconds: 5000)
        try await service.live.activate(service.app)
        #expect(try await service.resources().names == resources.names)
        #expect(try await service.resources().version != resources.version)
    }

    @Test func `P13: cached is false for the files of a rule, and for all files of a disabled package`() async throws {
        let rule = ResourceRule(files: try #require(PathGlob("js/*")), isCached: false)
        let service = try await TestService.withResources(ResourceSettings(rules: [rule]))
        try await service.shipText("1.0")
        let resources = try await service.resources()
        #expect(resources.json["cached"] == true)
        #expect(resources.items.map { $0.json["cached"] } == [true, false])
        try await service.putPackage("app", .init(isEnabled: false))
        let off = try await service.resources()
        #expect(off.json["cached"] == false && off.names == resources.names)
    }

    @Test func `P14: a patch gives the exact bytes of the new file, from the exact bytes that it names`() async throws {
        let service = try await TestService.withResources()
        let pairs = TextPairs(seed: 4, count: 5).pairs.filter { !$0.old.isEmpty && !$0.new.isEmpty }
        try await service.publish(
            "1.0", of: "app",
            zip: StoredZip([("index.html", [1])] + pairs.enumerated().map { ("t\($0).js", Array($1.old.utf8)) }).bytes)
        try await service.release("1.0", of: "app")
        let old = try await service.resources()
        try await service.publish(
            "1.1", of: "app",
            zip: StoredZip([("index.html", [1])] + pairs.enumerated().map { ("t\($0).js", Array($1.new.utf8)) }).bytes)
        try await service.release("1.1", of: "app")
        let new = try await service.resources(old.version)
        #expect(!new.patched.isEmpty)
        for (index, pair) in pairs.enumerated() where pair.old != pair.new {
            let item = try new.item("t\(index).js")
            #expect(item.json["size"]?.integer == Int64(pair.new.utf8.count))
            #expect(try await service.download(item) == Array(pair.new.utf8))
            guard let diff = item.diff else { continue }
            #expect(item.json["diffFrom"] == (try old.item("t\(index).js").json["sha256"]))
            #expect(try ExactPatching.apply(diff, to: pair.old) == pair.new)
        }
    }

    @Test func `P14: going back has patches as well`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0", "one")
        try await service.shipText("2.0", "two")
        let newer = try await service.resources()
        try await service.release("1.0", of: "app")
        let item = try await service.resources(newer.version).item("js_app.js")
        #expect(try ExactPatching.apply(try #require(item.diff), to: "two") == "one")
        #expect(item.number == 3)
    }
}
