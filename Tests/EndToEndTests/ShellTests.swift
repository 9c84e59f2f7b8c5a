import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the completion in real shells, and the manual page.
    @Suite struct ShellTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/shell_completion.py").path

        @Test(arguments: ["bash", "zsh", "fish"])
        func `a tab completes commands, verbs, options and values`(_ shell: String) throws {
            let folder = "\(ScratchDirectory.path)/shell"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: "\(folder)/testers.txt"))
            let lines = [
                "larder rollb^I3", "larder release wid^I3 --pack^Inews", "larder token create --role rele^I--name ci",
                "larder help chan^Icr^I", "larder device-list put testers \(folder)/tes^I",
            ]
            let output = try Program.succeed(["python3", Self.script, shell, Larder.path, folder] + lines)
            #expect(
                output.split(separator: "\n").map(String.init) == [
                    "rollback 3", "release widen 3 --package news", "token create --role releaser --name ci",
                    "help channel create", "device-list put testers \(folder)/testers.txt",
                ], "\(output)")
        }

        @Test func `completion offers nothing for unknown words, and no option twice`() throws {
            func words(_ words: String...) throws -> String {
                try Program.succeed([Larder.path, "completion", "words", "--"] + words)
            }
            #expect(try words("frobnicate", "").isEmpty)
            #expect(try words("release", "frobnicate", "").isEmpty)
            #expect(try words("release", "list", "--app").hasPrefix("--app\t"))
            #expect(try words("release", "list", "-a", "x", "--ap").isEmpty)
            #expect(try words("audit", "--act").split(separator: "\n").count == 2)
            #expect(try words("publish", "--code-quality", "") == ":files\n")
        }

        @Test func `the manual page has every command and verb, and groff has no complaint`() throws {
            let page = "\(ScratchDirectory.path)/larder.1"
            try Data(try Program.succeed([Larder.path, "man"]).utf8).write(to: URL(fileURLWithPath: page))
            let outcome = try Program.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", page])
            #expect(outcome.status == 0 && outcome.errorOutput.isEmpty, "\(outcome.errorOutput)")
            let overview = try Larder.run("--help").output
            let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(commands.count > 30)
            for command in commands + ["release widen", "webhook rotate-secret", "completion bash"] {
                #expect(outcome.output.contains("larder \(command)"), "\(command)")
            }
        }
    }
}
