import Artifacts
@testable import Client
import Domain
import Ground
import TestKit
import Testing
import Transport

/// Tests how a device handles `/config` responses with and without a signature.
@Suite(.scratchDirectory, .ownThread)
struct SignedConfigTests {
    private let larder: Larder
    private let one: Publication.Version
    private let two: Publication.Version
    private let start = Timestamp(milliseconds: 1_767_225_600_000)

    init() throws {
        larder = try Larder()
        one = try larder.version("1.0", ["index.html": "one"])
        two = try larder.version("1.1", ["index.html": "two"])
    }

    private var copy: [String: String] { Files.tree(Larder.folder + "/news") }

    /// Creates a folder with version 1.0 and a server that offers 1.1, after a change.
    private func changed(_ change: (inout sending Larder.Model.State) -> Void) throws {
        try larder.offer(one)
        try larder.sync()
        try larder.offer(two)
        larder.model.change(change)
    }

    private func expect(_ refusal: ConfigRefusal, acceptsUnsigned: Bool = false) throws {
        let state = Files.read(Larder.folder + "/.larder/config.json")
        let error = #expect(throws: SyncError.self) { try larder.engine(acceptsUnsigned: acceptsUnsigned).run() }
        guard case .config(refusal)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(copy == one.files && Files.read(Larder.folder + "/.larder/config.json") == state)
        #expect(refusal.description.hasSuffix(".") && refusal.description.contains("Nothing was installed"))
    }

    private func setExpiry(_ milliseconds: Int64, created: Int64 = 0) {
        larder.model.change { [start] in
            $0.signer?.created = start.adding(milliseconds: created)
            $0.signer?.expires = start.adding(milliseconds: milliseconds)
        }
    }

    @Test func `a device requests a signature, and reports the key that signed`() throws {
        try larder.offer(one)
        let result = try larder.sync()
        #expect(copy == one.files)
        let signer = ConfigSigner(larder.publication)
        #expect(
            result.signature == .init(keyID: signer.keyID, created: signer.created, expires: signer.expires))
        #expect(result.json["configSignature"]?["keyId"]?.string == signer.keyID.text)
        let asked = larder.requests(to: "/config").map { $0.fields["accept-signature"] }
        #expect(asked == ["larder=();alg=\"ed25519\";tag=\"larder-config\""])
    }

    @Test func `a byte that was changed is seen, with its digest and without`() throws {
        try changed { $0.tampering = { _, body in body.append(0x20) } }
        try expect(.otherBody)
        larder.model.change {
            $0.tampering = { fields, body in
                body.append(0x20)
                fields["Content-Digest"] = ConfigSignature.contentDigest(OpenSSLCryptography().sha256(body))
            }
        }
        try expect(.badSignature)
    }

    @Test(arguments: [
        ("Larder-Config-Version", "999"), ("Larder-Cursor", "aa.999"), ("ETag", "\"x\""), ("Content-Type", "text/html"),
        ("Larder-Base", "default/beta"),
    ])
    func `a header that is covered cannot be changed`(name: String, value: String) throws {
        try changed { $0.tampering = { fields, _ in fields[name] = value } }
        try expect(.badSignature)
    }

    @Test func `a response whose signature was stripped is refused, unless signatures are optional`() throws {
        try changed { $0.tampering = { fields, _ in fields["Signature"] = nil } }
        try expect(.unsigned)
        larder.model.change {
            $0.signer = nil
            $0.tampering = { _, _ in }
        }
        try expect(.unsigned)
        let result = try larder.engine(acceptsUnsigned: true).run()
        #expect(copy == two.files)
        #expect(result.signature == nil && result.json["configSignature"] == .null)
        // A config that was received unsigned does not count as signed later.
        try larder.offer(one)
        larder.model.change { [publication = larder.publication] in $0.signer = .init(publication) }
        _ = try larder.sync()
        #expect(larder.requests(to: "/config").last?.fields["if-none-match"] == nil)
        #expect(copy == one.files)
    }

    @Test func `a wrong signature is refused even if signatures are optional`() throws {
        try changed { $0.tampering = { _, body in body.append(0x20) } }
        try expect(.otherBody, acceptsUnsigned: true)
    }

    @Test func `a signature by a key that keys json does not name is refused`() throws {
        let stranger = ConfigSigner(try Publication())
        try changed { $0.signer = stranger }
        try expect(.unknownKey([stranger.keyID.text]))
    }

    @Test func `the response of another channel or app is refused`() throws {
        try changed { $0.signer?.base = "default/staging" }
        try expect(.otherBase(expected: "default/production", shown: "default/staging"))
        larder.model.change { $0.signer?.base = "other/production" }
        try expect(.otherBase(expected: "default/production", shown: "other/production"))
    }

    @Test func `the channel is the one of the base URL`() throws {
        try larder.offer(one)
        let server = TinyServer { [larder] request in
            let prefix = "/apps/default/channels/staging"
            let path = String(request.path.dropFirst(request.path.hasPrefix(prefix) ? prefix.count : 0))
            return larder.model.reply(
                to: .init(method: request.method, path: path, query: request.query, fields: request.fields, body: []))
        }
        defer { server.stop() }
        func sync() throws -> SyncResult {
            let options = SyncOptions(
                base: try HTTPURL(server.base + "/apps/default/channels/staging/"), directory: Larder.folder)
            return try SyncEngine(
                options, client: HTTPClient(), cryptography: larder.publication.cryptography, clock: ManualClientClock()
            ).run()
        }
        #expect(throws: SyncError.self) { try sync() }
        larder.model.change { $0.signer?.base = "default/staging" }
        #expect(try sync().isSuccess)
    }

    @Test func `a signature holds until before its end, and from a minute before its beginning`() throws {
        try larder.offer(one)
        setExpiry(1000)
        try larder.sync()
        try larder.offer(two)
        setExpiry(0, created: -1000)
        try expect(.expired(at: start, now: start))
        setExpiry(1_000_000, created: 61_000)
        try expect(.notYet(from: start.adding(milliseconds: 61_000), now: start))
        setExpiry(1_000_000, created: 60_000)
        try larder.sync()
        #expect(copy == two.files)
    }

    @Test func `an old response is refused whatever its date`() throws {
        try larder.offer(one)
        larder.model.change { $0.date = "Wed, 31 Dec 2025 00:00:00 GMT" }
        setExpiry(-1000, created: -4_000_000)
        let error = #expect(throws: SyncError.self) { try larder.sync() }
        guard case .config(.expired(at: start.adding(milliseconds: -1000), now: start))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `if the machine's clock is behind, the server's present time counts, not an earlier one`() throws {
        try larder.offer(one)
        larder.model.change { $0.date = "Thu, 01 Jan 2026 02:00:00 GMT" }
        setExpiry(3_600_000)
        #expect(throws: SyncError.self) { try larder.sync() }
        setExpiry(10_800_000, created: 7_200_000)
        try larder.sync()
        // The clock was ahead and is corrected: its signatures do not lock devices out.
        larder.model.change { $0.date = nil }
        setExpiry(3_600_000)
        try larder.offer(two)
        try larder.sync()
        #expect(copy == two.files)
    }

    @Test func `within one process too a server's clock may be set back`() throws {
        try larder.offer(one)
        larder.model.change { $0.date = "Thu, 01 Jan 2026 02:00:00 GMT" }
        setExpiry(10_800_000, created: 7_200_000)
        let engine = try larder.engine()
        _ = try engine.run()
        larder.model.change { $0.date = "Thu, 01 Jan 2026 00:00:00 GMT" }
        setExpiry(3_600_000)
        try larder.offer(two)
        _ = try engine.run()
        #expect(copy == two.files)
    }

    @Test(arguments: [("1", 1), ("3600", 3600), ("3601", 3600), ("0", 300), ("x", 300)] as [(String, Int64)])
    func `the server sets the time of the next request, up to an hour`(said: String, seconds: Int64) throws {
        try larder.offer(one)
        larder.model.change { $0.tampering = { fields, _ in fields["Larder-Poll-After"] = said } }
        let engine = try larder.engine()
        _ = try engine.run()
        #expect(engine.pollAfter == seconds)
    }

    @Test func `a held config is used until its signature expires, and then requested whole`() throws {
        try larder.offer(one)
        setExpiry(1000)
        try larder.sync()
        let clock = ManualClientClock()
        func tags() -> [String?] { larder.requests(to: "/config").map { $0.fields["if-none-match"] } }
        clock.advance(by: .milliseconds(999))
        _ = try larder.engine(clock: clock).run()
        #expect(tags() == [nil, "\"2\""])
        clock.advance(by: .milliseconds(1))
        #expect(throws: SyncError.self) { try larder.engine(clock: clock).run() }
        #expect(tags() == [nil, "\"2\"", nil])
    }

    @Test func `a held config that was replaced is requested again`() throws {
        try larder.offer(one)
        try larder.sync()
        Files.write("{}", to: Larder.folder + "/.larder/config.json")
        let result = try larder.sync()
        #expect(larder.requests(to: "/config").last?.fields["if-none-match"] == nil)
        #expect(result.packages.map(\.result) == [.unchanged(version: "1.0")])
    }

    @Test func `an older response is refused even if the held config is gone`() throws {
        try larder.offer(one)
        setExpiry(1000)
        try larder.sync()
        larder.model.change { $0.configVersion = 0 }
        setExpiry(100_000)
        let clock = ManualClientClock()
        clock.advance(by: .seconds(2))
        let error = #expect(throws: SyncError.self) { try larder.engine(clock: clock).run() }
        guard case .config(.olderThanSeen(version: 0, seen: 2))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(larder.requests(to: "/config").last?.query.contains("cursor=aa.2") == true)
    }

    private func expectOlderThanSeen(_ version: Int64, _ seen: Int64, _ engine: SyncEngine) {
        let error = #expect(throws: SyncError.self) { try engine.run() }
        guard case .config(.olderThanSeen(version: version, seen: seen))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the highest version seen is kept across unsigned responses and other servers`() throws {
        larder.model.change { $0.configVersion = 10 }
        try larder.offer(one)
        try larder.sync()
        larder.model.change {
            $0.signer = nil
            $0.configVersion = 3
        }
        _ = try larder.engine(acceptsUnsigned: true).run()
        larder.model.change { [publication = larder.publication] in
            $0.signer = .init(publication)
            $0.configVersion = 4
        }
        expectOlderThanSeen(4, 11, try larder.engine())
        let other = TinyServer { [larder] in larder.model.reply(to: $0) }
        defer { other.stop() }
        let options = SyncOptions(base: try HTTPURL(other.base), directory: Larder.folder)
        expectOlderThanSeen(
            4, 11,
            try SyncEngine(
                options, client: HTTPClient(), cryptography: larder.publication.cryptography,
                clock: ManualClientClock()))
    }

    @Test func `a version seen under a key that keys json no longer names does not count`() throws {
        try larder.offer(one)
        try larder.sync()
        let path = Larder.folder + "/.larder/state.json"
        var state = try #require(Files.read(path).flatMap { SyncState($0) })
        let stranger = ConfigSigner(try Publication()).keyID
        state.see(SeenConfig(base: "default/production", version: 99, keyID: stranger))
        Files.write(state.bytes, to: path)
        try larder.offer(two)
        try larder.sync()
        #expect(copy == two.files)
    }

    @Test func `the newest config of thirty-two bases is remembered, and a further base replaces the oldest`() {
        var state = SyncState(deviceID: "d")
        let key = ConfigSigner(larder.publication).keyID
        func see(_ number: Int64) { state.see(SeenConfig(base: "a/c\(number)", version: number, keyID: key)) }
        for number: Int64 in 0..<32 { see(number) }
        #expect(state.seen.map(\.version) == Array(0..<32))
        see(0)
        see(32)
        state.move(to: "http://elsewhere")
        #expect(state.seen.map(\.version) == Array(2..<32) + [0, 32])
        #expect(state.newest(of: "a/c1") == nil && state.newest(of: "a/c0")?.version == 0)
        #expect(SyncState(state.bytes) == state)
    }

    @Test func `an unsigned held config that was replaced is requested again`() throws {
        try larder.offer(one)
        larder.model.change { $0.signer = nil }
        func sync() throws -> String? {
            _ = try larder.engine(acceptsUnsigned: true).run()
            return larder.requests(to: "/config").last?.fields["if-none-match"]
        }
        #expect(try sync() == nil)
        #expect(try sync() == "\"2\"")
        Files.write("{}", to: Larder.folder + "/.larder/config.json")
        #expect(try sync() == nil)
    }

    @Test func `header fields of a response without a body are not trusted`() throws {
        try larder.offer(one)
        try larder.sync()
        let server = TinyServer { [larder] request in
            guard request.path == "/config" else { return larder.model.reply(to: request) }
            return .response(
                304,
                [
                    "ETag": "\"2\"", "Larder-Config-Version": "999999", "Larder-Cursor": "bb.1",
                    "Larder-Poll-After": "1",
                ])
        }
        defer { server.stop() }
        var state = try #require(Files.read(Larder.folder + "/.larder/state.json").flatMap { SyncState($0) })
        state.base = server.base + "/"
        Files.write(state.bytes, to: Larder.folder + "/.larder/state.json")
        let options = SyncOptions(base: try HTTPURL(server.base), directory: Larder.folder)
        let engine = try SyncEngine(
            options, client: HTTPClient(), cryptography: larder.publication.cryptography, clock: ManualClientClock())
        let result = try engine.run()
        #expect(result.configVersion == 2 && result.signature != nil && engine.pollAfter == 300)
        let kept = try #require(Files.read(Larder.folder + "/.larder/state.json").flatMap { SyncState($0) })
        #expect(kept.cursor == "aa.2" && kept.seal == state.seal)
    }

    @Test func `other signatures beside the right one are ignored, and one that covers less is refused`() throws {
        try changed { state in
            state.tampering = { fields, _ in
                fields["Signature-Input"] =
                    "proxy=(\"date\");created=1;keyid=\"p\", " + (fields["Signature-Input"] ?? "")
                fields["Signature"] = "proxy=:AQI=:, " + (fields["Signature"] ?? "")
            }
        }
        try larder.sync()
        #expect(copy == two.files)
        try larder.offer(one)
        larder.model.change {
            $0.tampering = { fields, _ in
                fields["Signature-Input"] = fields["Signature-Input"]?.replacing("\"larder-base\" ", with: "")
            }
        }
        let error = #expect(throws: SyncError.self) { try larder.sync() }
        guard case .config(.malformed("it does not cover larder-base"))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        larder.model.change {
            $0.tampering = { fields, _ in
                fields["Signature-Input"] = fields["Signature-Input"]?.replacing(
                    "\"etag\" ", with: "\"etag\" \"etag\" ")
            }
        }
        let second = #expect(throws: SyncError.self) { try larder.sync() }
        guard case .config(.malformed("it covers etag twice"))? = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(copy == two.files)
    }
}
