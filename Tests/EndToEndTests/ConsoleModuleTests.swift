import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the console's modules with node, by the scripts in `Tests/Console`.
    @Suite struct ConsoleModuleTests {
        @Test func `each module behaves as the sentences of its script state`() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            // Node treats files below a package.json of type "module" as modules, so the files are copied there.
            let copy = ScratchDirectory.path
            try Program.succeed(["mkdir", "\(copy)/Tests", "\(copy)/docs"])
            try Program.succeed(["cp", "-R", "\(root)/Public", copy])
            try Program.succeed(["cp", "-R", "\(root)/Tests/Console", "\(copy)/Tests"])
            // The lists of codes that the catalogues must have texts for.
            try Program.succeed(["cp", "\(root)/docs/api.md", "\(root)/docs/lint.md", "\(copy)/docs"])
            try Data(#"{"type": "module"}"#.utf8).write(to: URL(filePath: "\(copy)/package.json"))
            let scripts = try FileManager.default.contentsOfDirectory(atPath: "\(copy)/Tests/Console")
                .filter { $0.hasSuffix(".test.js") }.map { "\(copy)/Tests/Console/\($0)" }
            try #require(!scripts.isEmpty)
            let outcome = try Program.run(
                ["node", "--test"] + scripts, environment: ["LC_ALL": "en_US.UTF-8", "TZ": "Europe/Berlin"])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        }

        @Test func `the types that the modules' comments state agree`() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            let outcome = try Program.run(["tsc", "--project", "\(root)/Tests/Console/tsconfig.json"])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        }
    }
}
