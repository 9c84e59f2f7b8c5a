import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests `larder init` and the commands that read a project's `larder.json`.
    @Suite struct ProjectTests {
        private var project: String { "\(ScratchDirectory.path)/project" }

        private func write(_ text: String, _ name: String) throws {
            let url = URL(fileURLWithPath: "\(project)/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        /// Runs a command in the folder of the project.
        private func larder(_ words: String, _ server: Server? = nil) throws -> Program.Outcome {
            try Program.run(
                ["env", "-C", project, Larder.path] + words.split(separator: " ").map(String.init),
                environment: server?.environment ?? [:])
        }

        private func files(_ version: String, _ server: Server) throws -> [String] {
            try larder("version files \(version) --package news --json", server).output
                .components(separatedBy: #""path":""#).dropFirst().compactMap { $0.components(separatedBy: "\"").first }
        }

        @Test func `a project is published without an option, and without the files that it ignores`() throws {
            let server = try Server()
            try write(#"{"name": "@acme/news", "version": "1.4.0"}"#, "package.json")
            try write("<h1>News</h1>", "dist/index.html")
            try write("{}", "dist/js/app.js.map")
            try write("draft", "dist/drafts/next/page.html")
            let made = try larder("init")
            #expect(
                made.output == "wrote larder.json for the package 'news'; 'larder publish' uploads dist\n", "\(made)")
            #expect(try larder("init").status == 2)
            try write(
                #"{"package": "news", "folder": "dist", "ignore": ["**/*.map", "drafts"]}"#, "larder.json")
            #expect(try larder("package create news", server).status == 0)
            let lint = try larder("lint")
            #expect(lint.output == "no findings\n", "\(lint)")
            let published = try larder("publish", server)
            #expect(published.output.hasPrefix("published news 1.4.0: 1 files"), "\(published)")
            #expect(try files("1.4.0", server) == ["index.html"])
            // Every other command finds the package as well.
            #expect(try larder("release make -v 1.4.0", server).status == 0)
            #expect(try larder("release list -q", server).output == "1\n")
        }

        @Test func `the larder.json of an upload gets only what the server knows`() throws {
            let server = try Server()
            try server.putPackage("news")
            try write("<h1>News</h1>", "index.html")
            try write(
                #"{"package": "news", "version": "1", "resources": {"timeFormat": "epoch-ms"}}"#, "larder.json")
            let published = try larder("publish", server)
            #expect(published.status == 0, "\(published)")
            #expect(try files("1", server) == ["index.html", "larder.json"])
            try write(#"{"package": "news", "version": "2"}"#, "larder.json")
            #expect(try larder("publish", server).status == 0)
            #expect(try files("2", server) == ["index.html"])
            // A file with resources alone is that of an upload, and no project.
            try write(#"{"resources": {"timeFormat": "epoch-ms"}}"#, "larder.json")
            #expect(try larder("publish", server).status == 64)
            #expect(try larder("publish . -p news -v 3", server).status == 0)
            #expect(try files("3", server) == ["index.html", "larder.json"])
        }

        @Test(arguments: [nil, "/dev/shm"])
        func `a symbolic link is refused, also if files are copied to another file system`(_ other: String?) throws {
            let scratch = "\(other ?? ScratchDirectory.path)/larder-test-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            try write("<h1>News</h1>", "dist/index.html")
            try write("secret", "secret.txt")
            try write(#"{"package": "news", "version": "1", "folder": "dist"}"#, "larder.json")
            let server = try Server()
            try server.putPackage("news")
            func publish() throws -> Program.Outcome {
                try Program.run(
                    ["env", "-C", project, Larder.path, "publish"],
                    environment: server.environment.merging(["TMPDIR": scratch]) { $1 })
            }
            #expect(try publish().status == 0)
            #expect(try files("1", server) == ["index.html"])
            try FileManager.default.createSymbolicLink(
                atPath: "\(project)/dist/link.txt", withDestinationPath: "\(project)/secret.txt")
            let linked = try publish()
            #expect(linked.status != 0 && linked.errorOutput.contains("link.txt"), "\(linked)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
        }

        @Test func `waived warnings are not shown, and a budget ends with 2 past its edge`() throws {
            try write("<script src=\"a.js\"></script>", "dist/index.html")
            try write("//# sourceMappingURL=a.js.map", "dist/a.js")
            try write("{}", "dist/a.js.map")
            func lint(_ rest: String) throws -> Program.Outcome {
                try write(#"{"package": "news", "folder": "dist"\#(rest)}"#, "larder.json")
                return try larder("lint")
            }
            let bare = try lint("")
            #expect(bare.status == 0 && bare.output.contains("warning source-map a.js.map"), "\(bare)")
            let waived = try lint(
                #", "waivers": [{"code": "source-map", "path": "**/*.map", "reason": "wanted"}]"#)
            #expect(!waived.output.contains("source-map a.js.map"), "\(waived)")
            for (budget, limit, error) in [
                ("files", 3, "there are 3 files"), ("bytes", 59, "all files have 59 B"),
                ("fileBytes", 29, "a.js has 29 B"),
            ] {
                #expect(try lint(#", "budgets": {"\#(budget)": \#(limit)}"#).status == 0)
                let over = try lint(#", "budgets": {"\#(budget)": \#(limit - 1)}"#)
                #expect(over.status == 2 && over.errorOutput.contains(error), "\(over)")
            }
        }

        @Test(arguments: [
            (#"{"package": "news", "foldr": "dist"}"#, "Did you mean 'folder'?"),
            (#"{"package": "../up"}"#, "'package' in larder.json must be"),
            (#"{"package": "news", "ignore": ["a//b"]}"#, "'ignore' in larder.json must be"),
            (#"{"package": "news", "budgets": {"files": 0}}"#, "'budgets.files' in larder.json must be"),
            (#"{"package": "news", "waivers": [{"code": "secret"}]}"#, "'waivers' in larder.json must be"),
            ("[", "larder.json in this folder is no JSON object"),
        ])
        func `a wrong larder.json is refused by name`(_ text: String, _ error: String) throws {
            try write(text, "larder.json")
            let outcome = try larder("lint")
            #expect(outcome.status == 64 && outcome.errorOutput.contains(error), "\(outcome)")
        }

        @Test func `an interrupted upload says what is left, and the same command continues it`() throws {
            let server = try Server()
            try server.putPackage("news")
            try write("<h1>News</h1>", "index.html")
            try SamplePackage.noise(40 << 20, seed: 9).write(
                to: URL(fileURLWithPath: "\(project)/big.js"))
            let words = [Larder.path, "publish", project, "--package", "news", "--version", "1"]
            var environment = server.environment
            environment["TMPDIR"] = "\(ScratchDirectory.path)/scratch"
            try FileManager.default.createDirectory(
                atPath: "\(ScratchDirectory.path)/scratch", withIntermediateDirectories: true)
            let first = try Program(words, environment: environment)
            let uploads = "\(Server.defaultData)/uploads"
            try Waiting.until("a part to be there") {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: uploads)) ?? []
                return names.contains { name in
                    let size = try? FileManager.default.attributesOfItem(atPath: "\(uploads)/\(name)")[.size] as? Int
                    return size ?? 0 > 4 << 20
                }
            }
            first.send(SIGINT)
            #expect(try first.wait() == .killed(by: SIGINT))
            #expect(first.errorOutput.contains("run the same command again"), "\(first.errorOutput)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(ScratchDirectory.path)/scratch") == [])
            let before = try FileManager.default.contentsOfDirectory(atPath: uploads).sorted()
            #expect(before.count == 2)
            let second = try Program.run(words, environment: environment)
            #expect(second.status == 0 && second.output.hasPrefix("published news 1"), "\(second)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: uploads) == [])
            let memory = "\(ScratchDirectory.path)/state/larder/uploads"
            #expect(try FileManager.default.contentsOfDirectory(atPath: memory) == [])
        }

        @Test func `the status shows what is on the way, and nothing else`() throws {
            let server = try Server()
            try write("{}", "package.json")
            try server.putPackage("news")
            for version in ["1", "2"] {
                try server.mustPublish(try SamplePackage.folder("v" + version), as: "news", version)
            }
            func status() throws -> String { try larder("status", server).output }
            #expect(try status() == "Nothing is rolling out, planned, stopped or unhealthy in the app 'default'.\n")
            for line in [
                "release make -p news -v 1", "release make -p news -v 2 --percent 10",
                "release make -p news -v 2 --at 2999-01-01T00:00:00Z",
            ] {
                #expect(try larder(line, server).status == 0)
            }
            let rolling = try status()
            #expect(rolling.hasPrefix("Rolling out:\nnews  2  2  production  active  10  "), "\(rolling)")
            #expect(
                rolling.contains("Planned:\nnews  3  2  production  scheduled  100  2999-01-01T00:00:00Z"), "\(rolling)"
            )
            #expect(!rolling.contains("news  1  1"))
            #expect(try larder("release halt 2 -p news", server).status == 0)
            #expect(try status().contains("Paused or halted:\nnews  2  2  production  halted  10"))
        }
    }
}
