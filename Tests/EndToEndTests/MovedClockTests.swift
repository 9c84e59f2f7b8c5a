import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests changes of the wall clock while the server runs.
    @Suite struct MovedClockTests {
        @Test func `a clock set forward wakes waiting clients, and one set back takes no release back`() throws {
            let clock = try MovedClock()
            var server = try Server(environment: clock.environment)
            try server.putPackage("news")
            for version in ["1", "2"] {
                try server.mustPublish(try SamplePackage.folder("page-\(version)"), as: "news", version)
            }
            try server.release("1", of: "news")
            try server.release("2", of: "news", at: Date.inMoments(3_600).rfc3339)
            #expect(try server.config()["news"]?.version == "1")

            let waiting = try server.connect()
            let cursor = try #require(try server.get("/push").fields["larder-cursor"])
            // A timer of an hour would be too late: the response would be 204.
            try waiting.sendHead("GET", "/push?cursor=\(cursor)&wait=20")
            try clock.move(by: 3_601)
            let woken = try waiting.receive()
            #expect(woken.status == 200)
            #expect(try events(in: woken) == ["activated 2"])
            #expect(try server.config()["news"]?.version == "2")

            try clock.move(by: 0)
            let date = try #require(try server.get("/config").fields["date"])
            #expect(date.hasSuffix("GMT"))
            #expect(try server.config()["news"]?.version == "2")
            // A change makes the server resolve the state of devices again.
            try server.putPackage("news", "{\"priority\": 5}")
            #expect(try server.config()["news"]?.version == "2")
            try server.stop()
            server = try Server(environment: clock.environment)
            #expect(try server.config()["news"]?.version == "2")
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
        }

        @Test func `a clock that was set back and passes a time again announces no activation twice`() throws {
            let clock = try MovedClock()
            let server = try Server(environment: clock.environment)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news", at: Date.inMoments(60).rfc3339)
            let cursor = try #require(try server.get("/push").fields["larder-cursor"])
            try clock.move(by: 61)
            #expect(try events(in: try server.get("/push?cursor=\(cursor)&wait=20")) == ["activated 1"])
            let after = try #require(try server.get("/push").fields["larder-cursor"])
            try clock.move(by: -3_600)
            #expect(try server.get("/push?cursor=\(after)&wait=2").status == 204)
            try clock.move(by: 120)
            #expect(try server.get("/push?cursor=\(after)&wait=2").status == 204)
            #expect(try server.config()["news"]?.version == "1")
        }

        @Test func `a moved activation time and the steps of a plan reach waiting clients, whatever the clock does`()
            throws
        {
            let clock = try MovedClock()
            var server = try Server(environment: clock.environment)
            try server.putPackage("news")
            for version in ["1", "2"] {
                try server.mustPublish(try SamplePackage.folder("page-\(version)"), as: "news", version)
            }
            try server.release("1", of: "news")
            let made = try server.call(
                "POST", "/apps/default/packages/news/releases",
                """
                {"version": "2", "activeTime": "\(Date.inMoments(7_200).rfc3339)", \
                "plan": [{"percent": 1, "after": "0s"}, {"percent": 100, "after": "1h"}]}
                """)
            try #require(made.status == 201, "\(made.text)")

            var cursor = try #require(try server.get("/push").fields["larder-cursor"])
            let waiting = try server.connect()
            try waiting.sendHead("GET", "/push?cursor=\(cursor)&wait=20")
            let moved = try server.call(
                "PATCH", "/apps/default/packages/news/releases/2",
                "{\"activeTime\": \"\(Date.inMoments(3_600).rfc3339)\"}")
            #expect(moved.status == 200, "\(moved.text)")
            var response = try waiting.receive()
            #expect(try events(in: response) == ["changed 2"])
            cursor = try #require(response.fields["larder-cursor"])

            // The activation, then the step, by a clock that moves while a client waits.
            for (offset, event, version) in [(3_601, "activated 2", "1"), (7_202, "changed 2", "2")]
                as [(Int64, String, String)]
            {
                let waiting = try server.connect()
                try waiting.sendHead("GET", "/push?cursor=\(cursor)&wait=20")
                try clock.move(by: offset)
                response = try waiting.receive()
                #expect(try events(in: response) == [event])
                cursor = try #require(response.fields["larder-cursor"])
                #expect(try server.config()["news"]?.version == version)
            }
            // Before all of it: past events stay, also after a restart.
            try clock.move(by: 0)
            try server.putPackage("news", "{\"priority\": 5}")
            #expect(try server.config()["news"]?.version == "2")
            try server.stop()
            server = try Server(environment: clock.environment)
            #expect(try server.config()["news"]?.version == "2")
        }
    }
}

/// A wall clock for one process, ahead of the machine's by a settable time.
struct MovedClock {
    private let library: String
    private let file: String

    init() throws {
        library = "\(ScratchDirectory.path)/moved-clock.so"
        file = "\(ScratchDirectory.path)/offset"
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("moved-clock.c")
        let compiler = Program.isInstalled("cc") ? "cc" : "clang"
        try Program.succeed([compiler, "-shared", "-fPIC", "-O2", "-o", library, source.path])
        try move(by: 0)
    }

    var environment: [String: String] { ["LD_PRELOAD": library, "CLOCK_OFFSET_FILE": file] }

    func move(by seconds: Int64) throws {
        let nanoseconds = withUnsafeBytes(of: seconds * 1_000_000_000) { Data($0) }
        if let handle = FileHandle(forWritingAtPath: file) {
            try handle.write(contentsOf: nanoseconds)
            try handle.close()
        } else {
            try nanoseconds.write(to: URL(fileURLWithPath: file))
        }
    }
}
