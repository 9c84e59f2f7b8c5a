import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests `larder simulate` against servers that are killed and whose disk is full.
    @Suite struct SimulateTests {
        private static let fleet = ["--package", "news", "--versions", "1.0.0,1.1.0"]

        /// Publishes the versions that simulated devices have.
        private func prepare(_ server: Server) throws {
            try server.putPackage("news")
            for version in ["1.0.0", "1.1.0"] {
                try server.mustPublish(SamplePackage.folder("page-\(version)"), as: "news", version)
            }
        }

        private func simulate(_ server: Server, _ options: String...) throws -> Program.Outcome {
            try Program.run([Larder.path, "simulate"] + Self.fleet + options, environment: server.environment)
        }

        /// The members of the JSON of a run.
        private struct Course: Decodable {
            struct Wrong: Decodable {
                let row: String
                let truth: Int
                let server: Int
            }

            let reports: Int
            let sent: Int
            let failedAttempts: Int
            let checked: Int?
            let wrong: [Wrong]?
        }

        private func course(_ output: String) throws -> Course {
            try JSONDecoder().decode(Course.self, from: Data(output.utf8))
        }

        private static let mixed = [
            "--crash-rate", "5", "--wrong-clocks", "10", "--offline", "20", "--duplicates", "20",
        ]

        @Test func `all statistics of 2,000 devices are right, also once they have repeated their reports`() throws {
            let server = try Server()
            try prepare(server)
            let options = Self.fleet + Self.mixed + ["--devices", "2000", "--check"]
            for _ in 1...2 {
                let outcome = try Program.run([Larder.path, "simulate"] + options, environment: server.environment)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput) \(server.log)")
                #expect(outcome.output.contains("  1.0.0 opened: reports "), "\(outcome.output)")
                #expect(outcome.output.contains(" numbers are right\n") && !outcome.output.contains("WRONG"))
            }
        }

        @Test func `a run that is repeated on a later day with the start that it printed has right statistics`() throws
        {
            let server = try Server()
            try prepare(server)
            let start = Date.now.addingTimeInterval(-86_400).formatted(.iso8601)
            let first = try simulate(server, "--devices", "200", "--start", start)
            #expect(first.status == 0 && first.errorOutput.contains("--start \(start)\n"), "\(first)")
            let other = try course(try simulate(server, "--devices", "200", "--check", "--json").output)
            #expect(other.wrong?.isEmpty == false)
            let again = try simulate(server, "--devices", "200", "--check", "--start", start)
            #expect(again.status == 0, "\(again)")
        }

        @Test func `a report that the fleet did not send makes the statistics differ`() throws {
            let server = try Server()
            try prepare(server)
            let first = try course(try simulate(server, "--devices", "100", "--json").output)
            #expect(first.wrong == nil && first.checked == nil && first.sent > first.reports)
            let body = #"{"eventId":"x","deviceId":"x","package":"news","version":"1.0.0","event":"custom","time":1}"#
            let connection = try server.connect()
            try connection.sendHead(
                "POST", "/report", ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"])
            try connection.send(body.utf8)
            #expect(try connection.receive().status == 202)

            let outcome = try simulate(server, "--devices", "100", "--check", "--json")
            #expect(outcome.status == 1)
            let second = try course(outcome.output)
            let wrong = try #require(second.wrong)
            #expect(second.reports == first.reports && second.checked ?? 0 > wrong.count)
            #expect(wrong.contains { $0.row == "1.0.0 custom" && $0.truth == 0 && $0.server == 1 }, "\(wrong)")
            #expect(wrong.allSatisfy { $0.server == $0.truth + 1 }, "\(wrong)")
        }

        @Test func `a server that is killed five times has every acknowledged report, and none twice`() throws {
            var server = try Server()
            try prepare(server)
            let simulation = try Program(
                [Larder.path, "simulate"] + Self.fleet + Self.mixed
                    + ["--devices", "2000", "--rate", "4000", "--check", "--json"],
                environment: server.environment)
            for _ in 1...5 {
                let before = try reports(server)
                try Waiting.until("reports") { try reports(server) > before + 500 || simulation.poll() != nil }
                try server.crash()
                server = try Server(listen: "127.0.0.1:\(server.port)", token: server.token)
            }
            #expect(try simulation.wait() == .exited(0), "\(simulation.output) \(simulation.errorOutput)")
            let course = try course(simulation.output)
            #expect(course.failedAttempts > 0 && course.wrong?.isEmpty == true)
        }

        private func reports(_ server: Server) throws -> Int {
            struct Stats: Decodable {
                struct Count: Decodable { let reports: Int }
                let versions: [String: [String: Count]]
            }
            let stats: Stats = try server.call("GET", "/apps/default/packages/news/stats").json()
            return stats.versions.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.reports } }
        }

        @Test(.enabled(if: Probe.canMount, "only root can mount a small disk"))
        func `a server whose disk is full acknowledges no report that it loses, and goes on once there is space`()
            throws
        {
            let server = try Server.onSmallDisk()
            try prepare(server)
            try server.putPackage("other")
            let simulation = try Program(
                [Larder.path, "simulate"] + Self.fleet + Self.mixed
                    + ["--devices", "2000", "--rate", "4000", "--check", "--json"],
                environment: server.environment)
            try Waiting.until("reports") { try reports(server) > 500 }
            try server.fillDisk()
            // The last pages of the database's files may hold a few more reports, which are of another package.
            let body = #"{"eventId":"x","deviceId":"x","package":"other","version":"1.0.0","event":"custom","time":1}"#
            try Waiting.until("a refusal") {
                let connection = try server.connect()
                try connection.sendHead(
                    "POST", "/report", ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"])
                try connection.send(body.utf8)
                let response = try connection.receive()
                return response.status == 503 && response.fields["retry-after"] != nil
            }
            #expect(simulation.poll() == nil)

            try server.emptyDisk()
            try server.besides("mount", "-o", "remount,size=100m", Server.defaultData)
            #expect(try simulation.wait() == .exited(0), "\(simulation.output) \(simulation.errorOutput)")
            let course = try course(simulation.output)
            #expect(course.failedAttempts > 0 && course.wrong?.isEmpty == true)
        }

        @Test func `versions that were not published, and a missing server, are failures`() throws {
            let server = try Server()
            try server.putPackage("news")
            let outcome = try simulate(server, "--devices", "10")
            #expect(outcome.status == 1 && outcome.errorOutput.contains("publish the versions"), "\(outcome)")
            #expect(outcome.errorOutput.contains("to repeat this run, add --start 20"))
            let checked = try Program.run(
                [Larder.path, "simulate", "--check"] + Self.fleet, environment: ["LARDER_SERVER": server.base])
            #expect(checked.status == 64 && checked.errorOutput.contains("LARDER_TOKEN"))
        }

        @Test(arguments: [
            ("--devices", "0", "1 to 10000000"), ("--devices", "10000001", "1 to 10000000"),
            ("--batch", "0", "1 to 1000"), ("--batch", "1001", "1 to 1000"),
            ("--connections", "0", "1 to 1024"), ("--connections", "1025", "1 to 1024"),
            ("--rate", "0", "1 to 10000000"), ("--rate", "10000001", "1 to 10000000"),
            ("--duration", "0", "1 to 86400"), ("--duration", "86401", "1 to 86400"),
            ("--seed", "-1", "number from 0"), ("--start", "yesterday", "RFC 3339 of the last"),
            ("--start", "2020-01-01T00:00:00Z", "of the last"), ("--start", "2999-01-01T00:00:00Z", "of the last"),
            ("--crash-rate", "100.01", "percentage from 0 to 100"),
        ])
        func `a number out of bounds is wrong usage`(option: String, value: String, why: String) throws {
            let outcome = try Program.run([Larder.path, "simulate"] + Self.fleet + [option, value])
            #expect(outcome.status == 64 && outcome.errorOutput.contains(why), "\(outcome)")
        }

        @Test(arguments: ["", "1.0.0,", "1.0.0,1.0.0", (0...20).map(String.init).joined(separator: ",")])
        func `versions that are empty, repeated or too many are wrong usage`(versions: String) throws {
            let outcome = try Larder.run("simulate", "--package", "news", "--versions", versions)
            #expect(outcome.status == 64 && outcome.errorOutput.contains("1 to 20 different versions"), "\(outcome)")
        }
    }
}
