import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests `larder lint`, and the findings of publishing the same package.
    @Suite struct LintTests {
        private func flawed() throws -> String {
            try SamplePackage.folder(
                "flawed",
                [
                    "index.html": Data("<script src='js/a.js'></script><img src='no.png'>".utf8),
                    "js/a.js": Data("alert(1)\n//# sourceMappingURL=a.js.map".utf8), "js/a.js.map": Data("{}".utf8),
                    ".DS_Store": Data("junk".utf8), "__MACOSX/x y": Data("junk".utf8),
                ])
        }

        private let warnings = ["warning reference-missing index.html: ", "warning source-map js/a.js.map: "]

        private func zip(_ folder: String) throws -> String {
            let path = "\(ScratchDirectory.path)/\(UUID().uuidString).zip"
            try Data(SamplePackage.zip(folder)).write(to: URL(fileURLWithPath: path))
            return path
        }

        @Test func `a folder and its zip have the same findings`() throws {
            let folder = try flawed()
            let outcome = try Larder.run("lint", folder)
            #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 3 && lines.last == "errors: 0, warnings: 2")
            for (line, warning) in Swift.zip(lines, warnings) { #expect(line.hasPrefix(warning)) }
            #expect(try Larder.run("lint", zip(folder)).output == outcome.output)
        }

        @Test func `a top folder around the pages does not change the findings`() throws {
            let folder = try flawed()
            let outer = "\(ScratchDirectory.path)/outer"
            try FileManager.default.createDirectory(atPath: outer, withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: folder, toPath: "\(outer)/dist")
            let lines = try Larder.run("lint", outer).output.split(separator: "\n").map(String.init)
            for (line, warning) in Swift.zip(lines, warnings) { #expect(line.hasPrefix(warning)) }
        }

        @Test func `a plain package passes, and JSON says so`() throws {
            let folder = try SamplePackage.folder("plain")
            #expect(try Larder.run("lint", folder).output == "no findings\n")
            let json = try Larder.run("lint", folder, "--json")
            #expect(json.status == 0 && json.output == #"{"errors":0,"warnings":0,"findings":[]}"# + "\n")
        }

        @Test func `an error ends with 2, and does not hide the warnings`() throws {
            let folder = try flawed()
            let outcome = try Larder.run("lint", folder, "--entry", "home.html", "--json")
            #expect(outcome.status == 2)
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            #expect(json["errors"] as? Int == 1 && json["warnings"] as? Int == 2)
            let first = try #require((json["findings"] as? [[String: String]])?.first)
            #expect(first["code"] == "entry-missing" && first["severity"] == "error" && first["path"] == "home.html")
            #expect(first["message"]?.isEmpty == false)
            #expect(try Larder.run("lint", folder, "--no-entry").status == 0)
        }

        @Test func `references are followed below the URL prefix`() throws {
            let page = Data("<img src='/news/a.png'><img src='/other/b.png'>".utf8)
            let folder = try SamplePackage.folder("prefixed", ["index.html": page, "a.png": Data()])
            #expect(try Larder.run("lint", folder, "--url-prefix", "/news").output == "no findings\n")
            #expect(try Larder.run("lint", folder).output.hasSuffix("errors: 0, warnings: 2\n"))
        }

        @Test func `a zip that every server refuses is refused by lint as well`() throws {
            let zip = "\(ScratchDirectory.path)/bad.zip"
            let bad = StoredZip(["index.html": "", "../up.js": ""])
            try Data(bad.bytes).write(to: URL(fileURLWithPath: zip))
            let outcome = try Larder.run("lint", zip)
            #expect(outcome.status == 2)
            #expect(outcome.output.hasPrefix("error path-traversal ../up.js: "))
            let server = try Server()
            try server.putPackage("news")
            let refusal = try server.publish(zip, as: "news", "1").errorOutput
            let sentence = try #require(outcome.output.split(separator: "\n")[0].split(separator: ": ").last)
            #expect(refusal.contains(sentence))
        }

        @Test func `a missing folder is a failure`() throws {
            let outcome = try Larder.run("lint", "\(ScratchDirectory.path)/nothing")
            #expect(outcome.status == 1 && outcome.errorOutput.contains("nothing at"))
        }

        @Test func `publishing returns the same warnings`() throws {
            let server = try Server()
            try server.putPackage("news")
            let outcome = try server.publish(flawed(), as: "news", "1")
            #expect(outcome.status == 0)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 3 && lines.first?.hasPrefix("published news 1") == true)
            for (line, warning) in Swift.zip(lines.dropFirst(), warnings) { #expect(line.hasPrefix(warning)) }
        }
    }
}
