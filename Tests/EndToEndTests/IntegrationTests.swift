import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests what `larder publish` and `larder lint` do for a CI, as docs/ci.md describes.
    @Suite struct IntegrationTests {
        private var folder: String { "\(ScratchDirectory.path)/dist" }

        private func write() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("<script src=\"a.js\"></script>".utf8).write(to: URL(fileURLWithPath: "\(folder)/index.html"))
            try Data("//# sourceMappingURL=a,b.js.map".utf8).write(to: URL(fileURLWithPath: "\(folder)/a.js"))
            try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(folder)/a,b.js.map"))
        }

        private func larder(
            _ words: String, _ server: Server? = nil, _ environment: [String: String] = [:]
        ) throws -> Program.Outcome {
            try Program.run(
                ["env", "-C", ScratchDirectory.path, Larder.path] + words.split(separator: " ").map(String.init),
                environment: (server?.environment ?? [:]).merging(environment) { $1 })
        }

        private func text(_ name: String) throws -> String {
            try String(contentsOfFile: "\(ScratchDirectory.path)/\(name)", encoding: .utf8)
        }

        @Test func `a job publishes, waits, annotates, summarizes and ends with 3 for warnings`() throws {
            let server = try Server()
            try server.putPackage("news")
            try write()
            let summary = "\(ScratchDirectory.path)/summary.md"
            let line = "publish dist -p news -v 1 --if-exists ok --wait --annotate github --commit abc"
            let job = try larder(line + " --warnings-exit", server, ["GITHUB_STEP_SUMMARY": summary])
            #expect(job.status == 3, "\(job)")
            #expect(job.output.hasPrefix("published news 1: 3 files"), "\(job)")
            #expect(
                job.errorOutput.contains("::warning file=dist/a%2Cb.js.map,title=source-map::"), "\(job.errorOutput)")
            let markdown = try text("summary.md")
            #expect(markdown.hasPrefix("### Published news 1\n\n| | |\n|---|---|\n| files | 3 |\n"), "\(markdown)")
            #expect(markdown.contains("| commit | abc |") && markdown.contains("| `source-map` | `a,b.js.map` |"))
            // The job again: nothing changes, and nothing fails.
            let again = try larder(line, server)
            #expect(again.status == 0 && again.output.contains("exists already"), "\(again)")
            #expect(try larder("publish dist -p news -v 1", server).status == 0)
        }

        @Test func `a report for GitLab has the path of each finding, and a fingerprint that stays`() throws {
            try write()
            func report() throws -> JSON {
                #expect(try larder("lint dist --code-quality quality.json").status == 0)
                return try #require(JSON(parsing: Array(try text("quality.json").utf8)))
            }
            let issues = try #require(try report().elements)
            let issue = try #require(issues.first { $0["check_name"] == "source-map" })
            #expect(issue["location"]?["path"] == "dist/a,b.js.map" && issue["severity"] == "minor", "\(issue)")
            #expect(issue["location"]?["lines"]?["begin"] == 1)
            #expect(Set(issues.compactMap { $0["fingerprint"]?.string }).count == issues.count)
            #expect(try report().elements == issues)
            #expect(try larder("lint dist --warnings-exit").status == 3)
            try FileManager.default.removeItem(atPath: "\(folder)/index.html")
            #expect(try larder("lint dist --warnings-exit").status == 2)
        }

        @Test func `a summary that cannot be written is a failure, not a silence`() throws {
            try write()
            let outcome = try larder("lint dist --summary nowhere/summary.md")
            #expect(outcome.status == 1 && outcome.errorOutput.contains("nowhere/summary.md"), "\(outcome)")
        }

        @Test func `the examples of the page use options that exist`() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let page = try String(contentsOf: root.appending(path: "docs/ci.md"), encoding: .utf8)
            let lines = page.matches(of: #/larder (publish|lint|release make|token create)( [^\n'`]*)?/#)
            #expect(lines.count >= 8)
            for line in lines {
                let verb = String(line.output.1)
                let help = try Program.succeed([Larder.path, "help"] + verb.split(separator: " ").map(String.init))
                for option in (line.output.2 ?? "").matches(of: #/--[a-z-]+/#) {
                    #expect(
                        help.contains("\(option.output) ") || help.contains("\(option.output)\n"), "\(line.output.0)")
                }
            }
        }
    }
}
