import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd.Alone {
    /// Tests `activeTime` with the machine's clock.
    @Suite struct ScheduleTests {
        /// Starts a server whose package has version 1 in use and version 2 published.
        private func start() throws -> Server {
            let server = try Server()
            try server.putPackage("news")
            for version in ["1", "2"] {
                try server.mustPublish(try SamplePackage.folder("page-\(version)"), as: "news", version)
            }
            try server.release("1", of: "news")
            return server
        }

        @Test func `a scheduled version is fetched ahead, and its activation wakes waiting clients and is applied`()
            throws
        {
            let (server, lead) = try Date.lead(atLeast: 4) { try start() }
            let device = LarderDevice("device")
            let watch = try Program([Larder.path, "sync", server.base, device.folder, "--watch", "--json"])
            try Waiting.until("the first version") { try passes(of: watch).contains { $0.to == "1" } }

            let moment = Date.inMoments(lead)
            try server.release("2", of: "news", at: moment.rfc3339)
            let before = try server.get("/config")
            let entry = try #require(try before.json(as: [String: ConfigEntry].self)["news"])
            #expect(entry.version == "1")
            #expect(entry.next?.version == "2")
            #expect(entry.next?.activeTime == moment.rfc3339)
            try Waiting.until("the second version to be got ready") {
                try passes(of: watch).contains { $0.next?.state == "ready" && $0.next?.version == "2" }
            }
            #expect(try version(in: device) == "1")
            let waiting = try server.connect()
            let cursor = try #require(before.fields["larder-cursor"])
            try waiting.sendHead("GET", "/push?cursor=\(cursor)&wait=55")
            try #require(Date.now < moment, "this machine was too slow for the test")

            let woken = try waiting.receive()
            #expect(Date.now >= moment)
            #expect(woken.status == 200)
            #expect(try events(in: woken) == ["activated 2"])
            let after = try #require(try server.config()["news"])
            #expect(after.version == "2")
            #expect(after.next == nil)
            try Waiting.until("the second version to be applied") {
                try passes(of: watch).contains { $0.to == "2" && $0.by == "prepared" }
            }
            #expect(try version(in: device) == "2")
        }

        @Test(arguments: [SIGTERM, SIGKILL])
        func `an activation that passes while the server is down is announced once`(_ signal: Int32) throws {
            var (server, lead) = try Date.lead(atLeast: 2) { try start() }
            let moment = Date.inMoments(lead)
            try server.release("2", of: "news", at: moment.rfc3339)
            let before = try server.get("/config")
            let cursor = try #require(before.fields["larder-cursor"])
            try server.stop(signal)
            try Waiting.until("the moment to pass") { Date.now > moment }

            server = try Server()
            let first = try server.get("/push?cursor=\(cursor)&wait=0")
            #expect(try events(in: first) == ["activated 2"])
            let entry = try #require(try server.config()["news"])
            #expect(entry.version == "2")
            #expect(entry.next == nil)
            try server.stop(signal)

            server = try Server()
            let again = try server.get("/push?cursor=\(cursor)&wait=0")
            #expect(try events(in: again) == ["activated 2"])
            #expect(again.fields["larder-cursor"] == first.fields["larder-cursor"])
        }

        @Test func `a package whose first version is still to come is not enabled`() throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            let moment = Date.inMoments(3_600)
            try server.release("1", of: "news", at: moment.rfc3339)
            let entry = try #require(try server.config()["news"])
            #expect(!entry.enable)
            #expect(entry.version == nil)
            #expect(entry.next?.version == "1")
            try server.writeLegacyKey(to: "\(ScratchDirectory.path)/key.pem")
            let seed = SeedDevice("device", privateKey: "\(ScratchDirectory.path)/key.pem")
            #expect(try seed.sync("news", with: server) == "skipped")
            let device = LarderDevice("device")
            #expect(try device.sync("news", with: server) == "skipped")
            #expect(!FileManager.default.fileExists(atPath: "\(device.folder)/news"))
        }

        /// Returns the result of each pass of a watch for the package.
        private func passes(of watch: Program) throws -> [LarderDevice.Result.Package] {
            try watch.output.split(separator: "\n").compactMap { line in
                // The last line may be incomplete.
                guard line.hasSuffix("}") else { return nil }
                return try JSONDecoder().decode(LarderDevice.Result.self, from: Data(line.utf8)).packages.first
            }
        }

        private func version(in device: LarderDevice) throws -> String {
            struct AppConfig: Decodable { let version: String }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(device.folder)/news/app.config.json"))
            return try JSONDecoder().decode(AppConfig.self, from: bytes).version
        }
    }
}

/// Returns the kind and the version of each event in a push response.
func events(in response: RawClient.Response) throws -> [String] {
    struct Push: Decodable {
        struct Event: Decodable { let type, version: String }
        let events: [Event]
    }
    return try response.json(as: Push.self).events.map { "\($0.type) \($0.version)" }
}

extension Date {
    /// Returns an instant about so many seconds ahead, with a fraction that every format preserves.
    static func inMoments(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + seconds).rounded(.down) + 0.5)
    }

    /// Runs a step, and returns its result with the seconds ahead that leave time for a few such steps on this machine.
    static func lead<Result>(atLeast least: Double, _ step: () throws -> Result) rethrows -> (Result, seconds: Double) {
        let start = ContinuousClock.now
        let result = try step()
        return (result, max(least, 4 * ((ContinuousClock.now - start) / .seconds(1))))
    }

    /// The instant in UTC with milliseconds.
    var rfc3339: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
