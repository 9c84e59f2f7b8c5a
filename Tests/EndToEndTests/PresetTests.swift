import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the use of presets by an app's build.
    @Suite struct PresetTests {
        private func larder(_ server: Server, _ arguments: String...) throws -> Program.Outcome {
            try Program.run([Larder.path, "preset"] + arguments, environment: server.environment)
        }

        @Test func `a build's preset is made, exported and unpacked, and survives a restart`() throws {
            var server = try Server()
            for package in ["base", "news"] {
                try server.putPackage(package)
                try server.mustPublish(try SamplePackage.folder("\(package)-1"), as: package, "1")
                try server.release("1", of: package)
            }
            let made = try larder(server, "make", "--for", "8.3.0")
            #expect(made.status == 0 && made.output == "ships: 8.3.0 base@1 news@1\n")
            try server.stop()
            server = try Server()
            #expect(try larder(server, "list").output.hasPrefix("8.3.0  "))
            let zip = "\(ScratchDirectory.path)/preset.zip"
            #expect(try larder(server, "export", "--for", "8.3.0", "--output", zip).status == 0)
            let listed = try Program.run(["python3", "-m", "zipfile", "-l", zip]).output
            for name in ["_larder/preset.json", "_larder/keys.json", "base/index.html", "news/app.config.json"] {
                #expect(listed.contains(name))
            }
            let seed = try larder(server, "export", "--for", "8.3.0", "--format", "seed", "--output", zip, "--json")
            #expect(seed.status == 0 && seed.output.contains("\"bytes\":"))
            #expect(try !Program.run(["python3", "-m", "zipfile", "-l", zip]).output.contains("news/"))
            // A rejected export leaves the file unchanged.
            let before = FileManager.default.contents(atPath: zip)
            #expect(try larder(server, "export", "--for", "9.0.0", "--output", zip).status == 2)
            #expect(FileManager.default.contents(atPath: zip) == before)
            #expect(try larder(server, "delete", "--for", "8.3.0").status == 0)
            #expect(try larder(server, "list").output.isEmpty)
        }
    }
}
