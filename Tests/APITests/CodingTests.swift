import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import API

/// A compressor that returns its input, counts its calls and can be blocked.
private final class PlainCompressor: TextCompressor {
    let calls = Counter()
    let efforts = Mutex<[CodingEffort]>([])
    private let isUseful: Bool
    private let gate: Gate?

    init(isUseful: Bool = true, gate: Gate? = nil) {
        self.isUseful = isUseful
        self.gate = gate
    }

    func gzip(_ bytes: [UInt8]) -> [UInt8]? { coded("gzip", bytes) }
    func brotli(_ bytes: [UInt8], effort: CodingEffort) -> [UInt8]? {
        efforts.withLock { $0.append(effort) }
        return coded("br", bytes)
    }
    func gunzip(_ bytes: [UInt8], upTo limit: Int) throws(ExpansionError) -> [UInt8] { throw .damaged }

    private func coded(_ name: String, _ bytes: [UInt8]) -> [UInt8]? {
        calls.increment()
        gate?.pass()
        return isUseful ? Array("\(name) \(bytes.count)".utf8) : nil
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct CodingTests {
    private static let browser = (name: "Accept-Encoding", value: "gzip, deflate, br, zstd")

    /// Returns a service whose config is long enough to be compressed.
    private func ready(_ compressor: PlainCompressor) async throws -> TestService {
        let service = try await TestService(compressor: compressor)
        try await service.ship("1.0.0")
        return service
    }

    @Test(arguments: [
        "/config", "/config?deviceId=d", "/keys.json", "/report/schema.json", "/console/main.js", "/console/icon.svg",
    ])
    func `a text is sent in the requested coding, with its own entity tag`(target: String) async throws {
        let text = Array(String(repeating: "// text\n", count: 50).utf8)
        let service = try await TestService(
            compressor: PlainCompressor(),
            console: ["main.js", "icon.svg"].map { ConsoleFile(path: $0, bytes: text) })
        try await service.ship("1.0.0")
        let plain = try await service.get(target)
        let vary = target.hasPrefix("/config") ? "Accept-Encoding, Accept-Signature" : "Accept-Encoding"
        #expect(plain["Content-Encoding"] == nil && plain["Vary"] == vary)
        let tag = try #require(plain["ETag"]).dropLast()
        for (asked, token) in [("gzip", "gzip"), ("gzip, deflate, br", "br"), ("br;q=0.1, gzip;q=0.2", "gzip")] {
            let response = try await service.get(target, ("Accept-Encoding", asked))
            #expect(response.text == "\(token) \(plain.body.count)")
            #expect(response["Content-Encoding"] == token)
            #expect(response["Content-Length"] == "\(response.body.count)")
            #expect(response["Vary"] == vary)
            #expect(response["ETag"] == "\(tag)-\(token)\"")
            for name in ["Content-Type", "Cache-Control", "Access-Control-Allow-Origin", "Content-Security-Policy"] {
                #expect(response[name] == plain[name])
            }
            for kept in ["\(tag)-\(token)\"", "\(tag)\""] {
                let same = try await service.get(target, ("Accept-Encoding", asked), ("If-None-Match", kept))
                #expect(same.status == 304 && same["ETag"] == kept && same["Vary"] == vary)
                #expect(same["Content-Encoding"] == nil)
            }
            let other = try await service.get(target, ("Accept-Encoding", asked), ("If-Match", "\"x\""))
            #expect(other.status == 412 && other.body.isEmpty && other["Cache-Control"] == "no-store")
        }
        for refused in ["identity", "gzip;q=0", "zstd", ""] {
            #expect(try await service.get(target, ("Accept-Encoding", refused)).body == plain.body)
        }
    }

    @Test func `a config is coded once, at the first request after a change of its content`() async throws {
        let compressor = PlainCompressor()
        let service = try await ready(compressor)
        _ = try await service.get("/config")
        #expect(compressor.calls.value == 0, "nobody has asked for a coding")
        _ = try await service.get("/config", ("If-None-Match", "*"))
        for target in ["/config", "/apps/default/config", "/config?deviceId=d", "/config?cursor=1.2"] {
            #expect(try await service.get(target, Self.browser)["Content-Encoding"] == "br")
        }
        #expect(compressor.calls.value == 2, "gzip and brotli")

        // Other header fields with the same content: before an activation the responses are renewed each second.
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        #expect(try await service.get("/config", Self.browser)["Content-Encoding"] == "br")
        #expect(compressor.calls.value == 2)
        let moment = service.fromNow(60_000)
        try await service.publishSample("2.0.0")
        try await service.release("2.0.0", at: moment)
        #expect(try await service.get("/config", Self.browser)["Content-Encoding"] == "br")
        #expect(compressor.calls.value == 4)
        for left in stride(from: Int64(31_000), through: 0, by: -500) {
            service.clock.set(to: moment.adding(milliseconds: -left))
            #expect(try await service.get("/config", Self.browser)["Content-Encoding"] == "br")
        }
        #expect(compressor.calls.value == 4)
    }

    @Test func `a config is sent uncoded while it is being coded`() async throws {
        let gate = Gate()
        let service = try await ready(PlainCompressor(gate: gate))
        async let first = service.get("/config", Self.browser)
        await gate.arrival()
        let meanwhile = try await service.get("/config", Self.browser)
        #expect(meanwhile.status == 200 && meanwhile["Content-Encoding"] == nil)
        let vary = "Accept-Encoding, Accept-Signature"
        #expect(meanwhile["Vary"] == vary, "what is kept of it is for those who take no coding")
        // The header fields change meanwhile, which keeps the compressed bodies.
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        let version = try await service.get("/config", Self.browser)["Larder-Config-Version"]
        #expect(version != meanwhile["Larder-Config-Version"])
        gate.open()
        let response = try await first
        #expect(response["Content-Encoding"] == "br" && response["Larder-Config-Version"] == version)
        #expect(try await service.get("/config", Self.browser)["Content-Encoding"] == "br")
    }

    @Test func `documents for devices are coded quickly, and the one for all as well as can be`() async throws {
        let compressor = PlainCompressor()
        let service = try await ready(compressor)
        for target in ["/config", "/config?have=news@0.9", "/config?only=news"] {
            #expect(try await service.get(target, Self.browser)["Content-Encoding"] == "br")
        }
        #expect(compressor.efforts.withLock { $0 } == [.best, .quick, .quick])
    }

    @Test func `while documents are being coded others are decided on and made`() async throws {
        let gate = Gate()
        let service = try await ready(PlainCompressor(gate: gate))
        async let variant = service.get("/config?have=news@0.9", Self.browser)
        async let plain = service.get("/config", Self.browser)
        await gate.arrival()
        for target in ["/config?have=news@0.8", "/config?only=news", "/config?signed=1"] {
            #expect(try await service.get(target).status == 200, "\(target)")
        }
        #expect(gate.isHolding)
        gate.open()
        #expect(try await variant["Content-Encoding"] == "br")
        #expect(try await plain["Content-Encoding"] == "br")
    }

    @Test func `a document is sent uncoded at once while four others wait to be coded`() async throws {
        let gate = Gate()
        let service = try await ready(PlainCompressor(gate: gate))
        let packages = (1...5).map { "package-\($0)" }
        for package in packages { try await service.ship("1.0.0", of: package) }
        let targets = packages.map { "/config?only=news,\($0)" }
        #expect(targets.count == ConfigCoder.awaitedCodings + 1)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for target in targets {
                group.addTask { try await service.get(target, Self.browser)["Content-Encoding"] }
            }
            // The others wait for the gate.
            #expect(try await group.next() == .some(nil))
            await gate.arrival()
            #expect(gate.isHolding)
            gate.open()
            for try await coding in group { #expect(coding == "br") }
        }
        for target in targets {
            while try await service.get(target, Self.browser)["Content-Encoding"] != "br" { await Task.yield() }
        }
    }

    @Test func `a config that changes while it is being coded is not sent in its old state`() async throws {
        let gate = Gate()
        let service = try await ready(PlainCompressor(gate: gate))
        async let first = service.get("/config", Self.browser)
        await gate.arrival()
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try await service.get("/config").text.contains("Other"))
        gate.open()
        let response = try await first
        #expect(response["Content-Encoding"] == nil && response.text.contains("Other"))
        let next = try await service.get("/config", Self.browser)
        #expect(next.text == "br \(response.body.count)")
    }

    @Test func `a config that does not shrink is sent uncoded`() async throws {
        let compressor = PlainCompressor(isUseful: false)
        let service = try await ready(compressor)
        let response = try await service.get("/config", Self.browser)
        #expect(response["Content-Encoding"] == nil && response["Vary"] == "Accept-Signature")
        #expect(compressor.calls.value == 2)
        #expect(try await service.get("/config", Self.browser).body == response.body)
        #expect(compressor.calls.value == 2, "it is not tried again")
    }

    @Test func `a response below the least coded size is sent uncoded`() async throws {
        let compressor = PlainCompressor()
        let edge = [CodedBody.leastCodedBytes - 1, CodedBody.leastCodedBytes].map { count in
            ConsoleFile(path: "\(count).js", bytes: [UInt8](repeating: 0x61, count: count))
        }
        let service = try await TestService(hasLegacyKey: false, compressor: compressor, console: edge)
        #expect(try await service.get("/console/255.js", Self.browser)["Vary"] == nil)
        #expect(try await service.get("/console/256.js", Self.browser)["Content-Encoding"] == "br")
        #expect(try await service.get("/config", Self.browser)["Content-Encoding"] == nil, "there is nothing in it yet")
        #expect(compressor.calls.value == 2)
    }

    @Test func `archives, and files that are not text, are never coded`() async throws {
        let compressor = PlainCompressor()
        let service = try await TestService(
            compressor: compressor,
            console: [ConsoleFile(path: "x.bin", bytes: [UInt8](repeating: 0, count: 1_000))])
        try await service.ship("1.0.0")
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        for target in ["/console/x.bin", String(url.dropFirst(TestService.publicURL.count))] {
            let response = try await service.get(target, ("Accept-Encoding", "gzip, br, identity;q=0"))
            #expect(response.status == 200)
            #expect(response["Content-Encoding"] == nil && response["Vary"] == nil)
        }
        #expect(compressor.calls.value == 0)
    }
}
