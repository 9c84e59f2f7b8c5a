import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests `larder prune` and `larder doctor` as an operator uses them.
    @Suite struct PruningTests {
        private static let options = ["--prune", "off", "--keep-versions", "1", "--grace-hours", "24"]
        private static let day: Int64 = 86_400

        private func page(_ name: String, _ seed: UInt64) throws -> String {
            try SamplePackage.folder(
                name,
                [
                    "a.js": SamplePackage.noise(2_000, seed: seed), "b.js": SamplePackage.noise(2_000, seed: seed + 1),
                    "same.js": SamplePackage.noise(2_000, seed: 7),
                ])
        }

        private func prune(_ server: Server, _ options: String...) throws -> Program.Outcome {
            try Program.run([Larder.path, "prune"] + options, environment: server.environment)
        }

        private func doctor(_ data: String = Server.defaultData) throws -> Program.Outcome {
            try Larder.run("doctor", "--data", data)
        }

        @Test func `a dry run lists the items to prune, and a run removes them`() throws {
            let clock = try MovedClock()
            let server = try Server(options: Self.options, environment: clock.environment)
            try server.putPackage("news")
            try server.mustPublish(page("one", 10), as: "news", "1")
            try server.mustPublish(page("two", 20), as: "news", "2")
            try server.release("2", of: "news")
            #expect(try prune(server).output.contains("removed versions: 0,"))
            try clock.move(by: 2 * Self.day)
            let rehearsal = try prune(server, "--dry-run")
            #expect(rehearsal.status == 0)
            #expect(rehearsal.output.contains("default/news 1: version, outdated"))
            #expect(rehearsal.output.contains("would remove versions: 1,"))
            #expect(try server.versions(of: "news") == ["1", "2"])
            let before = try Blobs.stored(in: Server.defaultData)
            let pruned = try prune(server, "--json")
            #expect(pruned.status == 0 && pruned.output.contains("\"versions\":1"))
            #expect(try server.versions(of: "news") == ["2"])
            let after = try Blobs.stored(in: Server.defaultData)
            #expect(after.isStrictSubset(of: before))
            #expect(try after == Blobs.known(in: Server.defaultData))
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
            #expect(try server.publish(page("two", 20), as: "news", "1").status == 2)
            #expect(try server.publish(page("one", 10), as: "news", "1").status == 0)
            try server.stop()
            #expect(try doctor().status == 0)
        }

        @Test(
            .enabled(if: Probe.canTrace, "strace may not attach here"),
            arguments: [
                (calls: "unlink", step: 2), (calls: "pwrite64", step: 6), (calls: "fsync,fdatasync", step: 1),
            ])
        func `a crash at any step of pruning loses no named file`(_ way: (calls: String, step: Int)) throws {
            let clock = try MovedClock()
            var server = try Server(options: Self.options, environment: clock.environment)
            try server.putPackage("news")
            try server.mustPublish(page("base", 1), as: "news", "base")
            try server.release("base", of: "news")
            var crashes = 0
            for (round, call) in Tracer.crashes(every: way.step, below: 400).enumerated() {
                let old = try page("old-\(round)", UInt64(round * 10 + 100))
                try server.mustPublish(old, as: "news", "\(round)-old")
                try server.mustPublish(page("new-\(round)", UInt64(round * 10 + 105)), as: "news", "\(round)-new")
                try #require(try prune(server).status == 0)
                try clock.move(by: Int64(round + 1) * 2 * Self.day)
                let tracer = try Tracer.crash(server, at: way.calls, number: call)
                let outcome = try prune(server)
                guard outcome.status != 0 else { return #expect(crashes > 0) }
                #expect(outcome.status == 1, "\(outcome.errorOutput)")
                #expect(try server.program.wait() == .killed(by: SIGKILL))
                _ = try tracer.wait()
                crashes += 1

                let examined = try doctor()
                #expect(examined.status == 0, "\(examined.output)")
                server = try Server(options: Self.options, environment: clock.environment)
                #expect(try Blobs.stored(in: Server.defaultData) == Blobs.known(in: Server.defaultData))
                let versions = try server.versions(of: "news")
                #expect(Set(["base", "\(round)-new"]).isSubset(of: versions))
                #expect(try LarderDevice("\(round)").sync("news", with: server) == "full")
                // In both cases: present, or removed completely and published again.
                try server.mustPublish(old, as: "news", "\(round)-old")
                #expect(try server.versions(of: "news").contains("\(round)-old"))
            }
            Issue.record("no pruning survived")
        }

        @Test func `the doctor finds faults, and refuses to run beside a server`() throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(page("page", 1), as: "news", "1")
            let busy = try doctor()
            #expect(busy.status == 1)
            #expect(busy.errorOutput.contains("process \(server.program.pid)"))
            try server.stop()
            #expect(try doctor().output.hasSuffix("sound\n"))

            let blob = try #require(try Blobs.stored(in: Server.defaultData).min())
            let path = "\(Server.defaultData)/blobs/\(blob.prefix(2))/\(blob)"
            try FileManager.default.removeItem(atPath: path)
            let outcome = try doctor()
            #expect(outcome.status == 2)
            #expect(outcome.output.contains("blob-missing \(blob): "))
            let json = try Larder.run("doctor", "--data", Server.defaultData, "--json")
            #expect(json.status == 2)
            #expect(json.output.hasPrefix("{\"sound\":false,\"findingCount\":1,"))

            let nothing = try doctor("\(ScratchDirectory.path)/nothing")
            #expect(nothing.status == 1 && nothing.errorOutput.contains("/nothing"))
            #expect(!FileManager.default.fileExists(atPath: "\(ScratchDirectory.path)/nothing"))
        }

        @Test(arguments: ["larder.sqlite", "larder.sqlite-journal", "blobs/00/pipe", "pipe", "lock", "blob"])
        func `the doctor reports a named pipe and does not wait for a writer`(_ subject: String) throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(page("page", 1), as: "news", "1")
            try server.stop()
            let blob = try #require(try Blobs.stored(in: Server.defaultData).min())
            let path = "\(Server.defaultData)/\(subject == "blob" ? "blobs/\(blob.prefix(2))/\(blob)" : subject)"
            try? FileManager.default.removeItem(atPath: path)
            try #require(mkfifo(path, 0o600) == 0)
            let outcome = try doctor()
            #expect(outcome.status == (subject == "lock" ? 1 : 2))
            #expect((outcome.output + outcome.errorOutput).contains(path))
            #expect(subject == "lock" || outcome.output.contains("special-file \(path): "))
        }
    }
}
