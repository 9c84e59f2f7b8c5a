import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests `/config` for devices that send their versions.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct HoldingsTests {
    private func shipped(_ versions: Int, of packages: [String] = ["news"]) async throws -> TestService {
        let service = try await TestService()
        for version in 1...versions {
            for package in packages { try await service.ship(String(version), of: package) }
            service.clock.advance(milliseconds: 1)
        }
        return service
    }

    private func entry(_ service: TestService, _ query: String, _ package: String = "news") async throws -> JSON {
        let response = try await service.get("/config" + query)
        try #require(response.status == 200)
        return try #require(try response.json[package])
    }

    private func bases(_ json: JSON) -> Set<String> {
        Set((json["patches"]?.elements ?? []).compactMap { $0["from"]?.string })
    }

    @Test func `a device that sends have gets only the patches from those versions`() async throws {
        let service = try await shipped(3)
        #expect(bases(try await entry(service, "")) == ["1", "2"])
        let offer = try await entry(service, "?have=news@1")
        #expect(bases(offer) == ["1"])
        #expect(offer["incrementalPackages"]?.members?.map(\.key) == ["1"])
        #expect(bases(try await entry(service, "?have=news@2,news@1")) == ["1", "2"])
        for nothing in ["", "news@3", "news@9", "other@1", "news", "@", ",,", "news@../x"] {
            let offer = try await entry(service, "?have=" + nothing)
            #expect(offer["patches"] == nil, "\(nothing)")
            #expect(offer["version"] == "3")
        }
    }

    @Test func `each package has its own`() async throws {
        let service = try await shipped(3, of: ["news", "shop"])
        let query = "?have=news@1,shop@2"
        #expect(bases(try await entry(service, query, "news")) == ["1"])
        #expect(bases(try await entry(service, query, "shop")) == ["2"])
    }

    @Test func `a version may hold a plus, escaped or not`() async throws {
        let service = try await TestService()
        for version in ["1+a", "2"] {
            try await service.ship(version)
            service.clock.advance(milliseconds: 1)
        }
        #expect(bases(try await entry(service, "?have=news@1+a")) == ["1+a"])
        #expect(bases(try await entry(service, "?have=news%401%2Ba")) == ["1+a"])
    }

    @Test func `an old base gets no patch until one is built`() async throws {
        let service = try await shipped(5)
        #expect(bases(try await entry(service, "?have=news@1")) == [])
        await service.requestedPatches.fulfilAll { Issue.record($0) }
        let offer = try await entry(service, "?have=news@1")
        #expect(bases(offer) == ["1"])
        #expect(offer["patches"]?.elements?.first?["kind"] == "delta")
        // No other client gets it.
        #expect(bases(try await entry(service, "")) == ["2", "3", "4"])
        #expect(bases(try await entry(service, "?have=news@2")) == ["2"])
    }

    @Test func `a patch to or from an unreleased version is not requested`() async throws {
        let service = try await shipped(5)
        try await service.publishSample("6")
        let before = try service.view().configVersion
        for have in ["news@6", "news@7", "news@5", "other@1"] { _ = try await entry(service, "?have=" + have) }
        await service.requestedPatches.fulfilAll { Issue.record($0) }
        #expect(try service.view().configVersion == before)
    }

    @Test func `a scheduled version also has the patch from the current one`() async throws {
        let service = try await shipped(2)
        try await service.publishSample("3")
        try await service.release("3", at: service.fromNow(3_600_000))
        let offer = try await entry(service, "?have=news@1")
        #expect(bases(offer) == ["1"])
        #expect(bases(try #require(offer["next"])) == ["1", "2"])
    }

    @Test func `devices with the same versions get the same response, with its tag and codings`() async throws {
        let service = try await shipped(5)
        let first = try await service.get("/config?have=news@3")
        let tag = try #require(first["ETag"])
        #expect(try await service.get("/config?have=news@3&deviceId=a")["ETag"] == tag)
        #expect(try await service.get("/config?have=news@3", ("If-None-Match", tag)).status == 304)
        #expect(try await service.get("/config?have=news@2")["ETag"] != tag)
        let coded = try await service.get("/config?have=news@3", ("Accept-Encoding", "gzip"))
        #expect(coded["Content-Encoding"] == "gzip")
        // A change is visible at once.
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try await entry(service, "?have=news@3")["name"] == "Other")
    }

    @Test func `the response does not depend on the order of versions in have`() async throws {
        let service = try await shipped(4)
        let tags = try await [
            service.get("/config?have=news@1,news@2")["ETag"], service.get("/config?have=news@2,news@1")["ETag"],
        ]
        #expect(tags[0] == tags[1])
    }

    @Test func `past the limit of prepared responses, devices get the planned patches`() async throws {
        let packages = (0..<9).map { "p\($0)" }
        let service = try await shipped(2, of: packages)
        // Two to the ninth combinations of held packages.
        func bases(_ combination: Int) async throws -> [Set<String>] {
            let have = packages.indices.filter { combination & 1 << $0 != 0 }.map { "p\($0)@1" }
            let json = try await service.get("/config?have=" + have.joined(separator: ",")).json
            return packages.map { self.bases(json[$0] ?? .null) }
        }
        for combination in 0..<256 { _ = try await bases(combination) }
        #expect(try await bases(3)[8] == [])
        #expect(try await bases(256 + 3)[0...3] == [["1"], ["1"], ["1"], ["1"]])
        // A change makes room.
        try await service.putPackage("p0", .init(name: "Other"))
        #expect(try await bases(256 + 3)[0...3] == [["1"], ["1"], [], []])
    }

    @Test func `the first client that accepts a coding gets the coded response`() async throws {
        let service = try await shipped(4)
        let response = try await service.get("/config?have=news@3", ("Accept-Encoding", "gzip"))
        #expect(response["Content-Encoding"] == "gzip")
    }
}
