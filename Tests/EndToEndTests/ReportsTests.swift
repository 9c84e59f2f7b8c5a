import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the reports of devices with the program.
    @Suite struct ReportsTests {
        @Test func `the window of reports is as large as it was set, and counts outlive it`() throws {
            let server = try Server(options: ["--max-reports", "2"])
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            for (event, counted) in [("a", 1), ("b", 2), ("b", 2), ("c", 3), ("b", 3), ("a", 4)] {
                try report(event, to: server)
                #expect(try reportCount(server) == counted, "after \(event)")
            }
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
