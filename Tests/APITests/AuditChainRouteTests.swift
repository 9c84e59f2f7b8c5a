import Domain
import Foundation
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

/// Tests the source and the chain of audit entries as the API shows them.
@Suite(.scratchDirectory)
struct AuditChainRouteTests {
    private static let audit = Desk.api + "/audit"

    private func newest(_ desk: Desk) async throws -> JSON {
        try #require(try await desk.call("GET", Self.audit + "?limit=1").json["entries"]?.elements?.first)
    }

    @Test func `an entry has the address and the token of its request, and the server's own entries say so`()
        async throws
    {
        let desk = try await Desk()
        let request = try TestRequest("PUT", Desk.news, body: Array("{}".utf8)).by(desk.token(.releaser))
        let response = try await desk.service.send(request.from(PeerAddress(ipv4: 0xC633_6407)))
        #expect(response.status == 201, "\(response.text)")
        let id = try await desk.call("GET", Desk.api + "/token", as: .releaser).json["id"]?.integer
        let entry = try await newest(desk)
        #expect(entry["action"] == "package.put")
        #expect(entry["from"]?["by"] == "token" && entry["from"]?["address"] == "198.51.100.7")
        #expect(id != nil && entry["from"]?["token"]?.integer == id)
        let first = try await desk.call("GET", Self.audit + "?action=app.create").json["entries"]?.elements?.first
        #expect(first?["from"]?.text == #"{"by":"server"}"#)
    }

    @Test func `event streams and webhooks leave the address out`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.news, .object([:]))
        let recorded = try #require(try await desk.service.store.audit(before: nil, limit: 1).first)
        #expect(recorded.json["from"] != nil && recorded.json["hash"] != nil)
        #expect(recorded.entry.json(recorded.id)["from"] == nil)
        let message = WebhookMessage(entry: recorded.id, recorded.entry, epoch: "e")
        #expect(!message.data.text.contains("address") && message.data["subject"] == "news")
    }

    @Test func `the head is the id and the hash of the newest entry, and a dry run leaves it`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.news, .object([:]))
        let log = try await desk.call("GET", Self.audit).json
        let entry = try #require(log["entries"]?.elements?.first)
        #expect(log["head"]?["id"] == entry["id"] && log["head"]?["hash"] == entry["hash"])
        #expect(entry["hash"]?.string?.utf8.count == 64)
        _ = try await desk.call("PUT", Desk.news + "?dryRun=1", .object(["name": "Other"]))
        #expect(try await desk.call("GET", Self.audit).json["head"] == log["head"])
    }

    /// Runs the program of docs/formats/audit-chain.md.
    private func verify(_ export: [UInt8]) throws -> (status: Int32, output: String) {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/formats/audit-chain.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let program = try #require(
            text.components(separatedBy: "```python\n").dropFirst().first?.components(separatedBy: "```").first)
        let path = "\(ScratchDirectory.path)/export.ndjson"
        try Data(export).write(to: URL(filePath: path))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program]
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: path))
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func `the documented program verifies an export, and finds each changed line`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.news, .object(["name": "“News” \u{2028} \\ \n \u{7F} é 😀"]))
        let waiver = JSON.object(["reason": .string("\"hash\":\"\(String(repeating: "0", count: 64))\"}")])
        #expect(try await desk.call("PUT", Desk.news + "/waivers/secret", waiver).status < 300)
        let export = try await desk.call("GET", Self.audit + "?format=ndjson").body
        let head = try await desk.call("GET", Self.audit).json["head"]
        let sound = try verify(export)
        #expect(
            sound == (0, "\(head?["id"]?.integer ?? 0) \(head?["hash"]?.string ?? "")\n"), "\(sound)")
        let lines = export.split(separator: UInt8(ascii: "\n"))
        for index in lines.indices {
            var changed = lines.map { Array($0) }
            changed[index][8 + String(index + 1).utf8.count] ^= 1
            let outcome = try verify(Array(changed.joined(separator: [UInt8(ascii: "\n")])))
            #expect(
                outcome.status == 1 && outcome.output == "entry \(index + 1) does not match its hash\n", "\(outcome)")
        }
        let cut = try verify(Array(lines.dropFirst(2).joined(separator: [UInt8(ascii: "\n")])))
        #expect(cut.status == 1 && cut.output.hasPrefix("entry 3 "), "\(cut)")
    }
}
