import Artifacts
import Client
import Domain
import Ground
import TestKit
import Testing
import Transport

/// Tests a device with a server, over real sockets, files and zips.
@Suite(.scratchDirectory, .ownThread)
struct SyncTests {
    let larder: Larder
    let one: Publication.Version
    let two: Publication.Version

    init() throws {
        larder = try Larder()
        one = try larder.version("1.0", ["index.html": "one", "css/a.css": "a", "old/gone.txt": "gone"])
        two = try larder.version("1.1", ["index.html": "two", "css/a.css": "a", "new.js": "new"])
    }

    private var copy: [String: String] { Files.tree(Larder.folder + "/news") }

    private func outcome(_ result: SyncResult, _ id: String = "news") -> PackageOutcome.Result? {
        result.packages.first { $0.package.text == id }?.result
    }

    private func failure(_ result: SyncResult) -> PackageFailure.Reason? {
        guard case .failed(_, _, let failure)? = outcome(result) else { return nil }
        return failure.reason
    }

    // MARK: Updating

    @Test func `a new device gets the full package`() throws {
        try larder.offer(one)
        let result = try larder.sync()
        guard case .updated(let update)? = outcome(result) else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .full)
        #expect(update.from == nil)
        #expect(update.to == "1.0")
        #expect(update.bytes == one.full.bytes.count)
        #expect(copy == one.files)
        #expect(result.isSuccess)
        #expect(result.trust == .firstUse)
        #expect(Files.names(Larder.folder + "/.larder/downloads").isEmpty)
    }

    @Test func `a package that exceeds the compression ratio for uploads is accepted`() throws {
        let zeros = String(repeating: "\0", count: 3 << 20)
        let version = try larder.version("1.0", ["index.html": "one", "zeros.bin": zeros])
        try larder.offer(version)
        #expect(try larder.sync().isSuccess)
        #expect(copy["zeros.bin"]?.utf8.count == 3 << 20)
    }

    @Test func `a device that is current sends its ETag and changes no file`() throws {
        try larder.offer(one)
        try larder.sync()
        let result = try larder.sync()
        #expect(outcome(result) == .unchanged(version: "1.0"))
        #expect(result.trust == .remembered)
        let requests = larder.requests(to: "/config")
        #expect(requests.map { $0.fields["if-none-match"] } == [nil, "\"2\""])
        let device = "deviceId=\(result.deviceID)"
        #expect(requests.map(\.query) == ["\(device)&have=", "\(device)&have=\(one.package)%40\(one.version)"])
    }

    @Test func `a device one version behind gets what changed, and loses what is gone`() throws {
        try larder.offer(one)
        try larder.sync()
        try larder.offer(two, from: [one])
        let result = try larder.sync()
        guard case .updated(let update)? = outcome(result) else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .files)
        #expect(update.from == "1.0")
        #expect(copy == two.files)
        #expect(!Files.exists(Larder.folder + "/news/old"))
    }

    @Test func `going back to a lower version works like going on`() throws {
        try larder.offer(two)
        try larder.sync()
        try larder.offer(one, from: [two])
        let result = try larder.sync()
        guard case .updated(let update)? = outcome(result) else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .files)
        #expect(copy == one.files)
    }

    @Test func `a copy that somebody changed gets the full package, before a patch is downloaded`() throws {
        try larder.offer(one)
        try larder.sync()
        Files.write("changed", to: Larder.folder + "/news/css/a.css")
        try larder.offer(two, from: [one])
        let result = try larder.sync()
        guard case .updated(let update)? = outcome(result) else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .full)
        #expect(update.fallback?.reason == .baseMismatch)
        #expect(update.bytes == two.full.bytes.count)
        #expect(copy == two.files)
        #expect(larder.reports.last?["reason"]?.string == "base-mismatch")
        let fellBack = try #require(larder.reports.first { $0["event"]?.string == "fellBack" })
        #expect(fellBack["reason"]?.string == "base-mismatch" && fellBack["kind"]?.string == "files")
    }

    @Test func `a patch that cannot be had is given up for the full package`() throws {
        try larder.offer(one)
        try larder.sync()
        let patch = try larder.publication.patch(from: one, to: two, in: ScratchDirectory.path)
        try larder.offer(two, from: [one])
        larder.model.change { $0.blobs[patch.digest.hex] = nil }
        let result = try larder.sync()
        guard case .updated(let update)? = outcome(result) else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .full)
        #expect(update.fallback?.reason == .downloadFailed)
        #expect(copy == two.files)
    }

    @Test func `a broken app config is repaired`() throws {
        try larder.offer(one)
        try larder.sync()
        Files.write("{", to: Larder.folder + "/news/app.config.json")
        _ = try larder.sync()
        #expect(copy == one.files)
    }

    @Test func `K3: a package that is switched off keeps its copy`() throws {
        let entry = try larder.offer(one)
        try larder.sync()
        larder.offer("news", entry.setting("enable", false).setting("version", "9"))
        #expect(outcome(try larder.sync()) == .skipped(.bySeedRule(.notEnabled)))
        #expect(copy == one.files)
    }

    @Test func `K7: packages are updated in descending order of priority`() throws {
        for (id, priority) in [("low", 1), ("high", 30), ("middle", 2)] {
            let version = try larder.version("1", of: id, ["index.html": id])
            larder.offer(id, try larder.entry(version).setting("priority", .integer(Int64(priority))))
        }
        #expect(try larder.sync().packages.map(\.package.text) == ["high", "middle", "low"])
    }

    @Test func `only the packages that are named are brought up to date`() throws {
        try larder.offer(one)
        try larder.offer(try larder.version("1", of: "other", ["index.html": "x"]))
        let only = Set(["other", "missing"].compactMap { PackageID($0) })
        let result = try larder.engine(only: only).run()
        #expect(outcome(result, "missing") == .skipped(.notOffered))
        #expect(result.packages.count == 2)
        #expect(!Files.exists(Larder.folder + "/news"))
        #expect(Files.exists(Larder.folder + "/other/index.html"))
    }

    // MARK: What is refused, with nothing changed

    @Test(arguments: [Tampering.archive, .size, .digest, .tree, .signature, .otherVersion, .unsigned])
    func `a tampered entry or archive is refused`(tampering: Tampering) throws {
        try larder.offer(one)
        try larder.sync()
        larder.offer("news", try tampering.apply(to: try larder.entry(two), two, larder))
        let result = try larder.sync()
        #expect(tampering.reasons.contains(try #require(failure(result))))
        #expect(copy == one.files)
        #expect(Files.names(Larder.folder + "/.larder/staging").allSatisfy { $0 == "news" })
        // The next pass succeeds in spite of the leftovers.
        try larder.offer(two)
        larder.keep(two.full)
        _ = try larder.sync()
        #expect(copy == two.files)
    }

    @Test(arguments: [true, false])
    func `a signed archive that is not a zip, or has another tree, is refused`(isZip: Bool) throws {
        try larder.offer(one)
        try larder.sync()
        let noZip = Array("no zip".utf8)
        let archive =
            isZip
            ? one.full : Publication.Archive(bytes: noZip, digest: larder.publication.cryptography.sha256(noZip))
        larder.keep(archive)
        try larder.offer(
            Publication.Version(
                package: two.package, version: two.version, files: two.files, tree: two.tree, full: archive))
        #expect(failure(try larder.sync()) == (isZip ? .treeMismatch : .archiveInvalid))
        #expect(copy == one.files)
    }

    @Test func `a package with another inner version is refused, or it would be downloaded again and again`() throws {
        try larder.offer(try larder.version("2.0", ["index.html": "x"], saying: "2.0.0"))
        #expect(failure(try larder.sync()) == .versionMismatch)
        #expect(!Files.exists(Larder.folder + "/news"))
    }

    @Test func `keys that are not trusted stop the pass before anything is read`() throws {
        try larder.offer(one)
        let other = try #require(SHA256Digest(bytes: [UInt8](repeating: 0, count: 32)))
        #expect(throws: SyncError.self) { try larder.engine(rootKey: other).run() }
        try larder.sync()
        let stranger = try Publication()
        let keys = try stranger.keys()
        larder.model.change {
            $0.keys = keys
            $0.signer = .init(stranger)
        }
        try larder.offer(two)
        #expect(throws: SyncError.self) { try larder.sync() }
        #expect(copy == one.files)
        // The command line confirms the change of keys, but signatures of the old keys are still rejected.
        let result = try larder.engine(rootKey: stranger.rootFingerprint).run()
        #expect(result.trust == .pinned)
        #expect(failure(result) == .signatureInvalid)
        #expect(copy == one.files)
    }

    @Test func `older keys than were seen stop the pass`() throws {
        let new = try larder.publication.keys(number: 10)
        larder.model.change { $0.keys = new }
        try larder.sync()
        let old = try larder.publication.keys(number: 9)
        larder.model.change { $0.keys = old }
        let error = #expect(throws: SyncError.self) { try larder.sync() }
        guard case .keys(.olderThanSeen(number: 9, seen: 10)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["[]", "null", "\"\"", "<html>"])
    func `K1: a config that is not an object stops the pass`(body: String) throws {
        try larder.offer(one)
        let server = TinyServer { [larder] request in
            request.path == "/config" ? .response(200, [:], Array(body.utf8)) : larder.model.reply(to: request)
        }
        defer { server.stop() }
        var options = SyncOptions(base: try HTTPURL(server.base), directory: Larder.folder)
        options.acceptsUnsigned = true
        let engine = try SyncEngine(
            options, client: HTTPClient(),
            cryptography: larder.publication.cryptography)
        let error = #expect(throws: SyncError.self) { try engine.run() }
        guard case .malformed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an entry that is wrong harms no other`() throws {
        larder.offer("broken", .object(["enable": true, "version": "1"]))
        larder.offer("odd", "text")
        try larder.offer(one)
        let result = try larder.sync()
        #expect(!result.isSuccess)
        #expect(outcome(result, "odd") == .skipped(.bySeedRule(.notAnObject)))
        #expect(copy == one.files)
    }

    @Test func `a config older than the held one is ignored`() throws {
        larder.model.change { $0.configVersion = 10 }
        try larder.offer(two)
        try larder.sync()
        try larder.offer(one)
        larder.model.change { $0.configVersion = 5 }
        #expect(outcome(try larder.sync()) == .unchanged(version: "1.1"))
        // The client sent another request with its newest cursor.
        #expect(larder.requests(to: "/config").last?.query.contains("cursor=aa.11") == true)
        larder.model.change { $0.configVersion = 12 }
        _ = try larder.sync()
        #expect(copy == one.files)
    }

    // MARK: What is remembered

    @Test func `the device's id and its trust outlive the process`() throws {
        try larder.offer(one)
        let first = try larder.sync()
        let second = try larder.sync()
        #expect(first.deviceID == second.deviceID)
        #expect(first.deviceID.count == 32)
        #expect(first.rootKey == second.rootKey)
    }

    @Test func `a damaged state is reported, and not overwritten`() throws {
        try larder.sync()
        Files.write("{", to: Larder.folder + "/.larder/state.json")
        #expect(throws: SyncError.self) { try larder.sync() }
        #expect(Files.text(Larder.folder + "/.larder/state.json") == "{")
    }

    @Test func `the second of two syncs in a folder gets the holder's process id`() throws {
        let first = try larder.engine()
        let error = #expect(throws: SyncError.self) { try larder.engine() }
        #expect(error?.description.contains("process ") == true)
        _ = try first.run()
    }

    @Test func `once a sync has ended, the next may begin`() throws {
        try larder.offer(one)
        #expect(try larder.engine().run().packages.count == 1)
        #expect(try larder.engine().run().packages.count == 1)
    }

    @Test func `a mandatory update that failed is reported as such`() throws {
        let entry = try larder.offer(one)
        try larder.sync()
        larder.offer(
            "news",
            try larder.entry(two).setting("sha256", entry["sha256"] ?? .null).setting("mandatoryAfter", 1001))
        let result = try larder.sync()
        #expect(result.packages.first?.isMandatory == true)
        #expect(result.json["packages"]?.elements?.first?["mandatory"]?.bool == true)
    }

    // MARK: Reports

    @Test func `a download and its application are reported`() throws {
        try larder.offer(one)
        let result = try larder.sync()
        #expect(larder.reports.map { $0["event"]?.string } == ["downloaded", "applied"])
        let applied = try #require(larder.reports.last)
        #expect(applied["package"]?.string == "news")
        #expect(applied["version"]?.string == "1.0")
        #expect(applied["deviceId"]?.string == result.deviceID)
        #expect(applied["kind"]?.string == "full")
        #expect(applied["bytes"]?.integer == Int64(one.full.bytes.count))
        #expect(result.reports.sent == 2)
        #expect(result.reports.waiting == 0)
    }

    @Test func `reports have durations, and the facts of the device that statistics distinguish`() throws {
        try larder.offer(one)
        let facts: [(Fact, String)] = [
            (.appVersion, "8.3.0"), (.platform, "ios"), (.osVersion, "18"), (.network, "wifi"), (.region, "eu"),
            (.attribute("tier"), "gold"),
        ]
        _ = try larder.engine(facts: facts).run()
        for report in larder.reports {
            #expect(report["duration"]?.integer ?? -1 >= 0)
            #expect(report["appVersion"] == "8.3.0" && report["platform"] == "ios")
            #expect(report["osVersion"] == "18" && report["network"] == "wifi")
            #expect(report["region"] == nil && report["attr.tier"] == nil)
        }
        #expect(larder.reports.count == 2)
    }

    @Test func `a failed update is reported by the step that failed`() throws {
        let entry = try larder.offer(one)
        larder.model.change { $0.blobs = [:] }
        try larder.sync()
        larder.keep(one.full)
        larder.offer("news", try Tampering.archive.apply(to: entry, one, larder))
        try larder.sync()
        larder.offer("news", try Tampering.unsigned.apply(to: entry, one, larder))
        try larder.sync()
        #expect(larder.reports.map { $0["event"]?.string } == ["downloadFailed", "verifyFailed", "failed"])
        #expect(
            larder.reports.map { $0["reason"]?.string } == ["download-failed", "digest-mismatch", "signature-invalid"])
    }

    @Test(arguments: [
        (#"{"accepted":1,"refused":[{"index":0,"reason":"x"}]}"#, 1), (#"{"accepted":2}"#, 0), ("", 0),
        (#"{"refused":[{}],"refusedUnlisted":9223372036854775807}"#, 2), (#"{"refusedUnlisted":-1}"#, 0),
    ])
    func `reports that the server refuses among others count as dropped`(reply: String, dropped: Int) throws {
        try larder.offer(one)
        larder.model.change { $0.reportReply = JSON(parsing: Array(reply.utf8)) ?? .string("") }
        let result = try larder.sync()
        #expect(result.reports.dropped == dropped && result.reports.sent == 2 - dropped)
        #expect(result.reports.waiting == 0)
    }

    @Test(arguments: [503, 429])
    func `reports that cannot be sent wait, and do not affect the sync`(status: Int) throws {
        try larder.offer(one)
        larder.model.change { $0.failures["/report"] = status }
        let result = try larder.sync()
        #expect(result.isSuccess)
        #expect(result.reports.waiting == 2)
        #expect(result.reports.failure != nil)
        larder.model.change { $0.failures = [:] }
        #expect(try larder.sync().reports.sent == 2)
        let ids = larder.reports.compactMap { $0["eventId"]?.string }
        #expect(ids.count == 4)
        #expect(Set(ids).count == 2)
    }

    @Test func `reports that the server refuses for good are given up`() throws {
        try larder.offer(one)
        larder.model.change { $0.failures["/report"] = 400 }
        #expect(try larder.sync().reports.dropped == 2)
        #expect(try larder.sync().reports.waiting == 0)
        #expect(larder.requests(to: "/report").count == 1)
    }

    @Test func `a repeated failure counts once, and a version that is applied again counts again`() throws {
        let entry = try larder.entry(one)
        larder.offer("news", entry.setting("signatures", .array([])))
        try larder.sync()
        try larder.sync()
        var ids = larder.reports.compactMap { $0["eventId"]?.string }
        #expect(ids.count == 2)
        #expect(Set(ids).count == 1)
        for version in [one, two, one] {
            try larder.offer(version)
            try larder.sync()
        }
        ids = larder.reports.filter { $0["event"]?.string == "applied" }.compactMap { $0["eventId"]?.string }
        #expect(Set(ids).count == 3)
    }

    @Test func `reports that are turned off are not sent`() throws {
        try larder.offer(one)
        _ = try larder.engine(sendsReports: false).run()
        #expect(larder.reports.isEmpty)
    }
}

/// The manipulations of an offer by an attacker between server and device.
enum Tampering: Sendable {
    case archive
    case size
    case digest
    case tree
    case signature
    case otherVersion
    case unsigned

    var reasons: [PackageFailure.Reason] {
        switch self {
        case .archive: [.digestMismatch]
        case .size, .digest, .tree, .signature, .otherVersion, .unsigned: [.signatureInvalid]
        }
    }

    func apply(to entry: JSON, _ version: Publication.Version, _ larder: Larder) throws -> JSON {
        let zeros = JSON.string(String(repeating: "0", count: 64))
        switch self {
        case .archive:
            var bytes = version.full.bytes
            bytes[bytes.count / 2] ^= 1
            larder.model.change { $0.blobs[version.full.digest.hex] = bytes }
            return entry
        case .size: return entry.setting("size", .integer(Int64(version.full.bytes.count + 1)))
        case .digest: return entry.setting("sha256", zeros)
        case .tree: return entry.setting("tree", zeros)
        case .signature:
            let keyID = entry["signatures"]?.elements?.first?["keyId"]
            let forged = JSON.object([
                "keyId": keyID, "value": .string(Base64.encode([UInt8](repeating: 1, count: 64))),
            ])
            return entry.setting("signatures", .array([forged]))
        case .otherVersion: return entry.setting("version", "9.9")
        case .unsigned: return entry.setting("signatures", .array([]))
        }
    }
}
