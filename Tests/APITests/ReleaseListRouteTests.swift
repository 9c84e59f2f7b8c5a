import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the lists over all packages of an app: releases, packages on a channel, and the search.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReleaseListRouteTests {
    private static let app = Desk.api + "/apps/default"

    /// Returns the member of each item of a list.
    private func items(_ desk: Desk, _ path: String, _ list: String, _ member: String) async throws -> [JSON] {
        let response = try await desk.call("GET", Self.app + path)
        try #require(response.status == 200, "\(response.text)")
        return try #require(try response.json[list]?.elements).compactMap { $0[member] }
    }

    private func releases(_ desk: Desk, _ query: String) async throws -> [Int64] {
        try await items(desk, "/releases?" + query, "releases", "id").compactMap(\.integer)
    }

    /// The members of a release that both lists show.
    private func shown(_ release: JSON) -> JSON {
        .object((release.members ?? []).filter { !["patchesReady", "noPatchFrom"].contains($0.key) })
    }

    @Test(arguments: 0..<4)
    func `each release is as in the list of its package, whatever operators have done`(seed: Int) async throws {
        let desk = try await Desk()
        let service = desk.service
        var random = SplitMix64(seed: UInt64(seed))
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        let packages = ["common", "news", "shop"]
        for package in packages {
            for version in ["1", "2"] { try await service.publishSample(version, of: package) }
        }
        var made: [(id: ReleaseID, package: String)] = []
        for _ in 0..<30 {
            let package = packages[Int.random(in: 0..<3, using: &random)]
            let percent = BasisPoints([0, 5_000, 10_000, 10_000][Int.random(in: 0..<4, using: &random)]) ?? .all
            let begin = Int64.random(in: -20..<20, using: &random)
            let outcome = try? await service.release(
                Bool.random(using: &random) ? "1" : "2", of: package, on: random.next() % 3 == 0 ? beta : .production,
                at: begin > 0 ? service.fromNow(begin * 1000) : nil, rollout: Rollout(percent: percent))
            if let outcome { made.append((outcome.release.id, package)) }
            if let (id, package) = made.randomElement(using: &random) {
                let actions: [ReleaseAction] = [.pause, .resume, .halt, .complete, .rollBack]
                // The state may not allow it.
                _ = try? await service.apply(actions[Int.random(in: 0..<5, using: &random)], to: id, of: package)
            }
            service.clock.advance(milliseconds: Int64.random(in: 0..<4_000, using: &random))
        }
        try await service.live.activate(service.app)

        var expected: [Int64: JSON] = [:]
        for package in packages {
            let list = try await desk.call("GET", "\(Self.app)/packages/\(package)/releases").json["releases"]
            for release in try #require(list?.elements) {
                let id = release["id"]?.integer ?? 0
                expected[id] = shown(release)
                // A single release is read with all others of its package, and not from memory.
                let one = try await desk.call("GET", "\(Self.app)/packages/\(package)/releases/\(id)").json
                #expect(one["state"] == release["state"], "\(id)")
            }
        }
        let whole = try await desk.call("GET", Self.app + "/releases").json["releases"]?.elements ?? []
        #expect(whole.map { shown($0) } == expected.sorted { $0.key > $1.key }.map(\.value))
        for state in ReleaseState.allCases {
            let wanted = expected.filter { $0.value["state"]?.string == state.rawValue }.keys.sorted(by: >)
            #expect(try await releases(desk, "state=\(state.rawValue)") == wanted, "\(state)")
            let others = expected.keys.filter { !wanted.contains($0) }.sorted(by: >)
            let names = ReleaseState.allCases.filter { $0 != state }.map(\.rawValue).joined(separator: ",")
            #expect(try await releases(desk, "state=\(names)") == others, "not \(state)")
        }
    }

    @Test func `a release that has become due is active at once, before the activation is loaded`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1")
        try await desk.service.publishSample("2")
        try await desk.service.release("2", at: desk.service.fromNow(1_000))
        #expect(try await releases(desk, "state=scheduled") == [2])
        desk.service.clock.advance(milliseconds: 1_000)
        #expect(try await releases(desk, "state=active") == [2])
        #expect(try await releases(desk, "state=superseded") == [1])
    }

    @Test(arguments: [
        ("/releases?state=new", "states separated by commas"),
        ("/releases?state=active,", "states separated by commas"),
        ("/releases?state=", "states separated by commas"), ("/releases?limit=1001", "1 to 1000"),
        ("/packages?flight=1", "'channel'"), ("/packages?channel=production&flight=0", "1, or left out"),
        ("/packages?online=yes", "1, or left out"), ("/search", "1 to 100 bytes"), ("/search?text=", "1 to 100 bytes"),
        ("/search?text=x&limit=0", "1 to 20"), ("/search?text=x&limit=21", "1 to 20"),
        ("/search?text=" + String(repeating: "x", count: 101), "1 to 100 bytes"),
    ])
    func `a malformed filter is refused`(path: String, hint: String) async throws {
        let response = try await Desk().call("GET", Self.app + path)
        #expect(response.status == 400 && response.detail.contains(hint), "\(response.text)")
    }

    @Test func `an unknown channel is 404, and names at the edge are accepted`() async throws {
        let desk = try await Desk()
        #expect(try await desk.call("GET", Self.app + "/packages?channel=beta").code == "channel-not-found")
        let longest = String(repeating: "x", count: 100)
        for limit in [1, 20] {
            #expect(try await desk.call("GET", Self.app + "/search?text=\(longest)&limit=\(limit)").status == 200)
        }
        #expect(try await desk.call("GET", Self.app + "/search?text=%00").status == 200)
    }

    @Test func `a package shows what every device of the channel gets, and what is in flight`() async throws {
        let desk = try await Desk()
        let service = desk.service
        for version in ["1.0.0", "1.1.0"] { try await service.publishSample(version) }
        try await service.putPackage("empty")
        let time = service.clock.now().rfc3339
        try await service.release("1.0.0")
        try await service.release("1.1.0", rollout: Rollout(percent: try #require(BasisPoints(1_000))))
        let begin = service.fromNow(3_600_000)
        try await service.release("1.0.0", at: begin)
        let list = try await desk.call("GET", Self.app + "/packages?channel=production").json["packages"]
        let shown = try #require(list?.elements).map { ($0["id"]?.string, $0["onChannel"]) }
        #expect(shown.map(\.0) == ["empty", "news"])
        let none = #"{"everyone":null,"inFlight":[],"lastPublishedAt":null,"onlineUntil":null,"versions":0}"#
        #expect(shown[0].1?.text == none)
        #expect(
            shown[1].1?.text == #"{"everyone":{"release":1,"version":"1.0.0"},"inFlight":["#
                + #"{"activeTime":"\#(begin.rfc3339)","percent":100,"release":3,"state":"scheduled","version":"1.0.0"},"#
                + #"{"activeTime":"\#(time)","percent":10,"release":2,"state":"active","version":"1.1.0"}],"#
                + #""lastPublishedAt":"\#(time)","onlineUntil":null,"versions":2}"#)
        #expect(try await items(desk, "/packages", "packages", "onChannel") == [])
    }

    @Test func `packages are selected by what is in flight on the channel, and by being online`() async throws {
        let desk = try await Desk()
        let service = desk.service
        for package in ["common", "news", "shop"] { try await service.ship("1.0.0", of: package) }
        let made = try await service.release(
            "1.0.0", of: "shop", rollout: Rollout(percent: try #require(BasisPoints(1_000))))
        func ids(_ query: String) async throws -> [JSON] {
            try await items(desk, "/packages?" + query, "packages", "id")
        }
        #expect(try await ids("channel=production&flight=1") == ["shop"])
        try await service.apply(.complete, to: made.release.id, of: "shop")
        #expect(try await ids("channel=production&flight=1") == [])
        let online = try await desk.call(
            "POST", Self.app + "/packages/common/online", .object(["for": "1h"]))
        try #require(online.status == 200, "\(online.text)")
        #expect(try await ids("online=1") == ["common"])
        #expect(try await items(desk, "/packages?online=1&channel=production", "packages", "onChannel").count == 1)
        service.clock.advance(milliseconds: 3_600_000)
        #expect(try await ids("online=1") == [])
    }

    @Test func `a search finds the newest of each kind, at most as many as the limit`() async throws {
        let desk = try await Desk()
        let service = desk.service
        for version in ["1.0.0", "1.1.0", "2.0.0"] { try await service.ship(version) }
        try await service.putPackage("newsletter", .init(name: "Weekly"))
        for list in ["news-testers", "staff"] {
            try #require(
                try await desk.send("PUT", Self.app + "/device-lists/\(list)", Array("ann".utf8)).status == 201)
        }
        func found(_ text: String) async throws -> [[String]] {
            let response = try await desk.call("GET", Self.app + "/search?text=\(text)&limit=2")
            return try [("packages", "id"), ("versions", "version"), ("releases", "release"), ("deviceLists", "name")]
                .map { list, member in
                    try #require(try response.json[list]?.elements).compactMap { item in
                        item[member]?.string ?? item[member]?.integer.map { String($0) }
                    }
                }
        }
        #expect(try await found("NEWS") == [["news", "newsletter"], [], ["3", "2"], ["news-testers"]])
        #expect(try await found("week") == [["newsletter"], [], [], []])
        #expect(try await found("1") == [[], ["1.1.0", "1.0.0"], ["2", "1"], []])
        #expect(try await found("%232") == [[], [], ["2"], []])
        #expect(try await found("2") == [[], ["2.0.0"], ["3", "2"], []])
        let first = try await desk.call("GET", Self.app + "/search?text=%233").json["releases"]?.elements?.first
        #expect(
            first?.text
                == #"{"channel":"production","package":"news","release":3,"state":"active","version":"2.0.0"}"#)
    }
}
