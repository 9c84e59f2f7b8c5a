import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests that the program stores no device id with `--device-ids hashed`.
    @Suite struct HashedDeviceTests {
        private static let device = "a3c0-the-device-of-ann"

        /// Returns the names of the files below a folder that contain a text.
        private func files(in folder: String, containing text: String) throws -> [String] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            return names.filter { name in
                // A folder has no content.
                guard let content = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return false }
                return content.range(of: Data(text.utf8)) != nil
            }
        }

        private func report(_ id: String, to server: Server) throws {
            let body = """
                {"eventId": "\(id)", "deviceId": "\(Self.device)", "package": "news", "version": "1.0.0",
                 "event": "applied", "time": 1}
                """
            let connection = try server.connect()
            try connection.sendHead(
                "POST", "/report", ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"])
            try connection.send(body.utf8)
            #expect(try connection.receive().text == #"{"accepted":1}"#)
        }

        /// Uses the device on every route that takes its id, and returns what the server shows of it.
        private func use(_ server: Server, _ round: String) throws -> String {
            try report(round, to: server)
            #expect(try server.get("/config?deviceId=\(Self.device)&have=news@1.0.0").status == 200)
            #expect(try server.get("/push?deviceId=\(Self.device)&wait=0").status == 200)
            #expect(try server.call("PUT", "/apps/default/device-lists/testers", Self.device).status / 100 == 2)
            #expect(try server.call("GET", "/apps/default/explain?deviceId=\(Self.device)").status == 200)
            let path = "/apps/default/devices/\(Self.device)"
            #expect(try server.call("POST", path).status == 405)
            #expect(try server.call("GET", path + "%2Fb").status == 400)
            // Seen devices are written within a second.
            return try Waiting.forValue("the device") {
                let response = try server.call("GET", path)
                try #require(response.status == 200, "\(response.text)")
                return response.text.contains(#""seen":[]"#) ? nil : response.text
            }
        }

        @Test(arguments: [false, true])
        func `no file of the data directory and no log names a device`(fromFile: Bool) throws {
            let key = "\(ScratchDirectory.path)/device-key"
            try Data(String(repeating: "0123456789abcdef", count: 4).utf8).write(to: URL(fileURLWithPath: key))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let log = "\(ScratchDirectory.path)/access.log"
            let options =
                ["--device-ids", "hashed", "--access-log", log] + (fromFile ? ["--device-id-key-file", key] : [])
            let server = try Server(options: options)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            let shown = try use(server, "1")
            #expect(shown.contains(#""events":[{"eventId":"1""#), "\(shown)")
            // With the log that a crash leaves.
            try server.crash()
            #expect(try files(in: Server.defaultData, containing: Self.device) == [])
            #expect(try files(in: Server.defaultData, containing: "hashed:") != [])

            let second = try Server(token: server.token, options: options)
            #expect(try use(second, "2").contains(#""eventId":"1""#))
            let erased = try second.call("DELETE", "/apps/default/devices/\(Self.device)")
            #expect(erased.text.contains(#""reports":2"#) && erased.text.contains(#""lists":["testers"]"#))
            #expect(try second.call("GET", "/audit").status == 200)
            try second.stop()
            #expect(try files(in: Server.defaultData, containing: Self.device) == [])
            #expect(!server.log.contains(Self.device) && !second.log.contains(Self.device))
            let lines = try String(contentsOfFile: log, encoding: .utf8)
            #expect(lines.contains("/devices/{device}") && !lines.contains(Self.device))
        }

        @Test func `a secret that others can read, a wrong form and a wrong key are refused`() throws {
            let key = "\(ScratchDirectory.path)/device-key"
            func serve(_ options: String..., mode: Int = 0o600) throws -> Program.Outcome {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
                return try Program.run(
                    [Larder.path, "serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData] + options,
                    environment: [:])
            }
            try Data("short".utf8).write(to: URL(fileURLWithPath: key))
            let wrong = try serve("--device-ids", "secret")
            #expect(wrong.status == 64 && wrong.errorOutput.contains("--device-ids must be plain or hashed"))
            let short = try serve("--device-ids", "hashed", "--device-id-key-file", key)
            #expect(short.status == 64 && short.errorOutput.contains("contains no key"))
            #expect(short.errorOutput.contains("If device ids are hashed already"))
            let open = try serve("--device-ids", "hashed", "--device-id-key-file", key, mode: 0o644)
            #expect(open.status == 64 && open.errorOutput.contains("chmod 600"))
        }

        @Test func `a start with another secret names the option that accepts it`() throws {
            let key = "\(ScratchDirectory.path)/device-key"
            func write(_ digit: String) throws {
                try Data(String(repeating: digit, count: 64).utf8).write(to: URL(fileURLWithPath: key))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            }
            let options = ["--device-ids", "hashed", "--device-id-key-file", key]
            try write("1")
            try Server(options: options).stop()
            try write("2")
            let refused = try Program.run(
                [Larder.path, "serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData] + options,
                environment: [:])
            #expect(refused.status == 64)
            let check = try #require(
                refused.errorOutput.firstMatch(of: /--accept-device-id-fingerprint ([0-9a-f]{16})/)?.output.1)
            let content = String(repeating: "2", count: 64)
            let pasted = try Program.run(
                [Larder.path, "serve", "--data", Server.defaultData, "--accept-device-id-fingerprint", content],
                environment: [:])
            #expect(pasted.status == 64 && pasted.errorOutput.contains("not the key"))
            #expect(!pasted.errorOutput.contains(content))
            try Server(options: options + ["--accept-device-id-fingerprint", String(check)]).stop()
            try Server(options: options).stop()
        }
    }
}
