import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests health rules with the program: reports arrive over HTTP, and the server stops releases by itself.
    @Suite struct HealthTests {
        private struct Made: Decodable { let id: Int }
        private struct Release: Decodable {
            struct Verdict: Decodable { let state: String, note: String, devices: Int }
            let state: String
            let verdict: Verdict?
        }
        private struct Audit: Decodable {
            struct Entry: Decodable { let action: String, actor: String, subject: String }
            let entries: [Entry]
        }

        /// Makes a release of a package with one rule for crashes.
        private func release(
            _ version: String, of package: String, _ action: String, at server: Server
        ) throws -> String {
            let rule = #"{"metric": "crashes", "ceiling": 5, "aboveControl": 25, "action": "\#(action)"}"#
            let path = "/apps/default/packages/\(package)/releases"
            let response = try server.call(
                "POST", path, #"{"version": "\#(version)", "health": {"rules": [\#(rule)]}}"#)
            try #require(response.status == 201, "\(response.text)")
            return "\(path)/\(try response.json(as: Made.self).id)"
        }

        /// Sends one report of each device in one request.
        private func report(
            _ event: String, _ package: String, _ version: String, from devices: Int, to server: Server
        ) throws {
            let time = Int(Date().timeIntervalSince1970 * 1000)
            let reports = (0..<devices).map { device in
                """
                {"eventId": "\(event) \(package)", "deviceId": "\(version)-\(device)", "package": "\(package)",
                 "version": "\(version)", "event": "\(event)", "time": \(time)}
                """
            }
            let body = "[\(reports.joined(separator: ","))]"
            let connection = try server.connect()
            try connection.sendHead(
                "POST", "/report", ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"])
            try connection.send(body.utf8)
            let response = try connection.receive()
            try #require(response.status == 202, "\(response.text) \(server.log)")
        }

        /// Waits until a release meets a condition, four times a second.
        private func wait(
            for path: String, at server: Server, until isMet: (Release) -> Bool
        ) throws -> Release {
            let end = ContinuousClock.now + .seconds(60)
            while true {
                let release = try server.call("GET", path).json(as: Release.self)
                if isMet(release) || ContinuousClock.now > end { return release }
                usleep(250_000)
            }
        }

        @Test func `releases that crash are paused, halted and rolled back, and operators and webhooks hear of it`()
            throws
        {
            let receiver = TinyServer { _ in .response(200) }
            let server = try Server(options: ["--webhook-networks", "127.0.0.1"])
            let hook = try server.call(
                "POST", "/apps/default/webhooks",
                #"{"url": "\#(receiver.base)/hook", "events": ["release.unhealthy"]}"#)
            try #require(hook.status == 201, "\(hook.text)")
            let stream = try server.connect()
            try stream.sendHead(
                "GET", "/api/v1/apps/default/events", ["Authorization": "Bearer \(server.token)"])
            #expect(try stream.receiveHead().status == 200)
            let actions = [
                ("pausing", "pause", "paused"), ("halting", "halt", "halted"), ("undoing", "rollback", "rolled-back"),
            ]
            var paths: [String] = []
            for (package, action, _) in actions {
                try server.putPackage(package)
                for version in ["1.0.0", "1.1.0"] {
                    try server.mustPublish(try SamplePackage.folder("\(package)-\(version)"), as: package, version)
                }
                try server.release("1.0.0", of: package)
                try report("opened", package, "1.0.0", from: 200, to: server)
                paths.append(try release("1.1.0", of: package, action, at: server))
                try report("opened", package, "1.1.0", from: 12, to: server)
            }
            let waiting = try wait(for: paths[0], at: server) { $0.verdict != nil }
            #expect(waiting.verdict?.state == "waiting" && waiting.state == "active")
            #expect(waiting.verdict?.note.contains("12 of 50 devices") == true)
            for (package, _, _) in actions { try report("crash", package, "1.1.0", from: 60, to: server) }
            for ((_, _, state), path) in zip(actions, paths) {
                let release = try wait(for: path, at: server) { $0.state == state }
                #expect(release.state == state && release.verdict?.state == "unhealthy", "\(server.log)")
                #expect(release.verdict?.devices == 60)
            }
            // Devices get the earlier version again, except those of the paused release.
            let config = try server.config()
            #expect(actions.map { config[$0.0]?.version } == ["1.1.0", "1.0.0", "1.0.0"])
            let audit = try server.call("GET", "/audit").json(as: Audit.self).entries.filter { $0.actor == "server" }
            for (package, action, _) in actions {
                let own = audit.filter { $0.subject.hasPrefix(package) }.map(\.action)
                #expect(own == ["release.\(action)", "release.unhealthy"], "newest first")
            }
            let end = ContinuousClock.now + .seconds(20)
            while receiver.requests.count < 3, ContinuousClock.now < end { usleep(20_000) }
            let bodies = receiver.requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies.count == 3 && bodies.allSatisfy { $0.contains(#""metric":"crashes""#) })
            var events = ""
            while events.ranges(of: "event: release.unhealthy\n").count < 3, ContinuousClock.now < end {
                events += String(decoding: try stream.receiveChunk(), as: UTF8.self)
            }
            #expect(events.ranges(of: "event: release.unhealthy\n").count == 3, "\(events)")
            let shown = try Program.run(
                [
                    Larder.path, "release", "show", paths[1].split(separator: "/").last.map(String.init) ?? "",
                    "--package", "halting",
                ],
                environment: server.environment)
            #expect(shown.output.contains("unhealthy: crashes: 60 of 60 devices (100 %)"), "\(shown)")
        }
    }
}
