import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd.Alone {
    /// Tests a client of seed 004, in Python with the library diff-match-patch.
    @Suite struct ResourcesTests {
        private struct Report: Decodable {
            let version: String
            let patched: [String]
            let downloaded: [String]
            let current: [String: String]
        }

        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/seed004_client.py").path

        private let folder = "\(ScratchDirectory.path)/device-004"

        private func sync(_ server: Server) throws -> Report {
            let output = try Program.succeed(["python3", Self.script, server.base, "app", folder])
            return try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        }

        private func publish(_ version: String, to server: Server) throws {
            let script = (1...200).map { "let line\($0) = '\($0)'; // 行\n" }.joined()
            let files = [
                "index.html": Data("<p>\(version)".utf8), "js/app.js": Data("\(script)let v = '\(version)'\n".utf8),
                "img/noise.png": SamplePackage.noise(50_000, seed: 5),
            ]
            try server.mustPublish(try SamplePackage.folder(version, files), as: "app", version)
        }

        /// Checks that the script in use is that of a version, byte for byte.
        private func expectScript(of version: String, in report: Report) throws {
            let name = try #require(report.current["js_app.js"])
            try Program.succeed(["cmp", "\(folder)/\(name)", "\(ScratchDirectory.path)/\(version)/js/app.js"])
        }

        @Test func `a device follows each release with patches, goes back, and switches at the activation time`() throws
        {
            var server = try Server()
            try server.putPackage("app", #"{"urlPrefix": "/news/", "dialects": ["resources-json"]}"#)
            for version in ["1.0", "2.0", "3.0"] { try publish(version, to: server) }
            #expect(try server.get("/packages/app/resources.json").status == 404)

            try server.release("1.0", of: "app")
            let (first, lead) = try Date.lead(atLeast: 6) { try sync(server) }
            #expect(first.downloaded == ["img_noise.png-1", "index.html-1", "js_app.js-1"])
            for (version, number) in [("2.0", 2), ("1.0", 3)] {
                try server.release(version, of: "app")
                let report = try sync(server)
                #expect(report.patched == ["index.html-\(number)", "js_app.js-\(number)"] && report.downloaded.isEmpty)
                #expect(report.version.hasSuffix(".\(version)"))
                try expectScript(of: version, in: report)
            }

            // Scheduled, with a hotfix below it, and a crash between.
            let moment = Date.inMoments(lead)
            try server.release("3.0", of: "app", at: moment.rfc3339)
            let ahead = try sync(server)
            #expect(ahead.patched == ["index.html-4", "js_app.js-4"])
            try expectScript(of: "1.0", in: ahead)
            try server.crash()
            server = try Server(token: server.token)
            try server.release("2.0", of: "app")
            let hotfix = try sync(server)
            // A resource that was listed with two contents is downloaded as a whole.
            #expect(hotfix.patched.isEmpty)
            #expect(hotfix.downloaded == ["index.html-6", "js_app.js-6", "index.html-5", "js_app.js-5"])
            try expectScript(of: "2.0", in: hotfix)
            try Waiting.until("the moment") { try sync(server).version.hasSuffix(".3.0") }
            let switched = try sync(server)
            #expect(switched.current["js_app.js"] == "js_app.js-6" && switched.downloaded.isEmpty)
            try expectScript(of: "3.0", in: switched)
            let kept = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(kept == ["\(switched.version).json", "img_noise.png-1", "index.html-6", "js_app.js-6"].sorted())
            try expectPreset(holding: kept, from: server)
        }

        @Test func `a device that switched by its own clock is not sent a patch of what it had before`() throws {
            let server = try Server()
            try server.putPackage("app", #"{"urlPrefix": "/news/", "dialects": ["resources-json"]}"#)
            func publish(_ version: String, _ added: Int) throws {
                let script = (1...20).map { "let line\($0) = '\($0)';\n" }.joined()
                let more = (0..<added).map { "let added\($0) = '\($0)';\n" }.joined()
                let files = ["index.html": Data("<p>".utf8), "js/app.js": Data((script + more).utf8)]
                try server.mustPublish(try SamplePackage.folder(version, files), as: "app", version)
            }
            for (version, added) in [("4.0.6", 0), ("4.1.0", 3), ("4.1.1", 6)] { try publish(version, added) }
            try server.release("4.0.6", of: "app")
            let (_, lead) = try Date.lead(atLeast: 3) { try sync(server) }
            try server.release("4.1.0", of: "app", at: Date.inMoments(lead).rfc3339)
            let ahead = try sync(server)
            #expect(ahead.version.hasSuffix(".4.0.6") && ahead.patched == ["js_app.js-2"])
            try Waiting.until("the moment") {
                try server.get("/packages/app/resources.json").text.contains(".4.1.0\"")
            }
            try server.release("4.1.1", of: "app")
            // With the earlier list, the lines of 4.1.0 would be applied twice.
            let after = try sync(server)
            #expect(after.version.hasSuffix(".4.1.1") && after.patched.isEmpty && after.downloaded == ["js_app.js-3"])
            try expectScript(of: "4.1.1", in: after)
        }

        /// Checks that a build's preset is what the device has.
        private func expectPreset(holding files: [String], from server: Server) throws {
            let zip = "\(ScratchDirectory.path)/preset.zip"
            for arguments in [["make"], ["export", "--format", "resources", "--output", zip]] {
                let outcome = try Program.run(
                    [Larder.path, "preset"] + arguments + ["--for", "8.3.0"], environment: server.environment)
                try #require(outcome.status == 0, "\(outcome.errorOutput)")
            }
            let unpacked = "\(ScratchDirectory.path)/preset"
            try Program.succeed(["unzip", "-q", zip, "-d", unpacked])
            #expect(try FileManager.default.contentsOfDirectory(atPath: unpacked).sorted() == files)
            for file in files where !file.hasSuffix(".json") {
                try Program.succeed(["cmp", "\(unpacked)/\(file)", "\(folder)/\(file)"])
            }
        }
    }
}
