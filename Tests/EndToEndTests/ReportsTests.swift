import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the reports of devices with the program.
    @Suite struct ReportsTests {
        @Test func `the window of reports is as large as it was set, and counts outlive it`() throws {
            let server = try Server(options: ["--max-reports", "2", "--max-report-ids", "0"])
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            for (event, counted) in [("a", 1), ("b", 2), ("b", 2), ("c", 3), ("b", 3)] {
                try report(event, to: server)
                #expect(try reportCount(server) == counted, "after \(event)")
            }
            // Reports are aggregated within 15 seconds. The oldest report leaves the window with the first request after it was aggregated.
            let end = ContinuousClock.now + .seconds(40)
            repeat {
                try report("b", to: server)
                try report("a", to: server)
            } while try reportCount(server) == 3 && ContinuousClock.now < end
            #expect(try reportCount(server) == 4)
        }

        @Test func `larder stats shows reports in lines, as JSON and as CSV`() throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            try report("a", to: server)
            func stats(_ options: String...) throws -> Program.Outcome {
                try Program.run(
                    [Larder.path, "stats", "news"] + options, environment: server.environment)
            }
            #expect(try stats().output == "1.0.0 opened: 1 reports from 1 devices\n")
            let lines = try stats("--by", "version", "event=opened", "--bucket", "all").output
            #expect(lines.contains(" version=1.0.0: 1 reports from 1 devices\n"))
            #expect(lines.contains("funnel of 1.0.0: offered 1, downloaded 1, applied 1, activated 1\n"))
            #expect(try stats("--json").output.hasPrefix(#"{"package":"news","versions":"#))
            #expect(try stats("--format", "csv").output.hasPrefix("start,reports,corrected,"))
            let whole = { (options: [String]) throws in
                try Program.run([Larder.path, "stats"] + options, environment: server.environment)
            }
            #expect(try whole([]).output == "news 1.0.0 opened: 1 reports from 1 devices\n")
            let byPackage = try whole(["event=opened", "package=news", "--by", "package", "--bucket", "all"]).output
            #expect(byPackage.contains(" package=news: 1 reports from 1 devices\n"))
            #expect(
                byPackage.contains("funnel of news 1.0.0: offered 1, downloaded 1, applied 1, activated 1\n"))
            #expect(try stats("package=news").status == 64)
            #expect(try stats("colour=red").status == 64)
            #expect(try stats("--format", "csv", "--json").status == 64)
            #expect(try stats("--bucket", "week").status == 2)
        }

        private func report(_ eventID: String, to server: Server) throws {
            let body = """
                {"eventId": "\(eventID)", "deviceId": "d", "package": "news", "version": "1.0.0", "event": "opened",
                 "time": 1}
                """
            let connection = try server.connect()
            try connection.sendHead(
                "POST", "/report", ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"])
            try connection.send(body.utf8)
            let response = try connection.receive()
            try #require(response.status == 202, "\(response.text) \(server.log)")
        }

        private func reportCount(_ server: Server) throws -> Int? {
            struct Stats: Decodable {
                struct Count: Decodable { let reports: Int }
                let versions: [String: [String: Count]]
            }
            let response = try server.call("GET", "/apps/default/packages/news/stats")
            return try response.json(as: Stats.self).versions["1.0.0"]?["opened"]?.reports
        }
    }
}
