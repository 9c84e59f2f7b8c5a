import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the program while PostgreSQL refuses its connections.
    @Suite struct DatabaseOutageTests {
        private let cluster: PostgresCluster
        private let name: String
        private var options: [String] { ["--database", cluster.url(of: name)] }

        init() throws {
            cluster = try PostgresCluster.shared.get()
            name = try cluster.makeDatabase()
        }

        @Test func `reports are accepted while the database is away, and counted once when it is back`() throws {
            let server = try server()
            #expect(try report(["a", "b"], to: server).text == #"{"accepted":2}"#)
            try loseDatabase()
            try Waiting.until("the spool") {
                try report(["b", "c"], to: server).text == #"{"accepted":2,"spooled":2}"#
            }
            try Waiting.until("the age") { try server.get("/config").fields["larder-snapshot-age"] != nil }
            #expect(try server.config()["news"]?.version == "1.0.0")
            try returnDatabase()
            try Waiting.until("the end of the age") {
                try server.get("/config").fields["larder-snapshot-age"] == nil
            }
            try Waiting.until("the reports") { try reportCount(server) == 3 }
            // Until the spool is empty, a report may still go there.
            for event in ["reports.spooling", "reports.drained", "database.lost", "database.back"] {
                try Waiting.until(event) { server.log.contains("event=\(event)") }
            }
            #expect(try report(["c", "d"], to: server).text == #"{"accepted":2}"#)
            #expect(try reportCount(server) == 4)
            cluster.discard(name)
        }

        @Test func `reports that a killed server has spooled are stored by the next one`() throws {
            let server = try server()
            try loseDatabase()
            try Waiting.until("the spool") { try report(["a", "b"], to: server).text.contains("spooled") }
            try server.crash()
            // A crash while the next record was written.
            let spool = "\(Server.defaultData)/reports.spool"
            let file = try #require(FileHandle(forWritingAtPath: spool))
            try file.seekToEnd()
            try file.write(contentsOf: Data([9, 0, 0, 0, 1]))
            try file.close()
            try returnDatabase()
            let doctor = try Program.run(
                [Larder.path, "doctor", "--data", Server.defaultData],
                environment: ["LARDER_DATABASE": cluster.url(of: name)])
            #expect(doctor.status == 0, "\(doctor.errorOutput)")
            #expect(doctor.output.contains("2 reports wait in reports.spool"), "\(doctor.output)")

            let second = try Server(token: server.token, options: options)
            try Waiting.until("the reports") { try reportCount(second) == 2 }
            #expect(try report(["b", "c"], to: second).text == #"{"accepted":2}"#)
            #expect(try reportCount(second) == 3)
            #expect(second.log.contains("event=reports.spool-torn") && second.log.contains("bytes=5"), "\(second.log)")
            cluster.discard(name)
        }

        @Test func `without a spool reports are refused with a time to retry`() throws {
            let server = try server(["--report-spool-bytes", "0"])
            try loseDatabase()
            let refused = try Waiting.forValue("the refusal") {
                let response = try report(["a"], to: server)
                return response.status == 503 ? response : nil
            }
            #expect(refused.fields["retry-after"] == "5")
            try returnDatabase()
            try Waiting.until("the database") { try report(["a"], to: server).text == #"{"accepted":1}"# }
            cluster.discard(name)
        }

        private func server(_ more: [String] = []) throws -> Server {
            let server = try Server(options: options + more)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            try server.release("1.0.0", of: "news")
            return server
        }

        private func loseDatabase() throws {
            try cluster.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            try cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
        }

        private func returnDatabase() throws {
            try cluster.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
        }

        private func report(_ eventIDs: [String], to server: Server) throws -> RawClient.Response {
            let reports = eventIDs.map { id in
                """
                {"eventId": "\(id)", "deviceId": "d", "package": "news", "version": "1.0.0", "event": "opened", "time": 1}
                """
            }
            let body = "[\(reports.joined(separator: ","))]"
            let connection = try server.connect()
            try connection.sendHead(
                "POST", "/report", ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"])
            try connection.send(body.utf8)
            return try connection.receive()
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
