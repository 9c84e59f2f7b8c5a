import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the command line in a pseudo-terminal of 80 and 200 columns, and in a pipe.
    @Suite struct TerminalTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/terminal.py").path

        private func terminal(
            _ words: String, _ server: Server, columns: Int = 80, answer: String = "",
            _ environment: [String: String] = [:]
        ) throws -> Program.Outcome {
            try Program.run(
                ["python3", Self.script, String(columns), answer, Larder.path]
                    + words.split(separator: " ").map(String.init),
                environment: server.environment.merging(["TERM": "xterm"]) { $1 }.merging(environment) { $1 })
        }

        private func piped(_ words: String, _ server: Server) throws -> Program.Outcome {
            try Program.run(
                [Larder.path] + words.split(separator: " ").map(String.init), environment: server.environment)
        }

        private func ready() throws -> Server {
            let server = try Server()
            try server.putPackage("news", #"{"name": "\#(String(repeating: "News ", count: 30))"}"#)
            for version in ["1", "2"] {
                try server.mustPublish(try SamplePackage.folder("v" + version), as: "news", version)
            }
            try server.release("1", of: "news")
            return server
        }

        private func plain(_ text: String) -> [String] {
            text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").split(separator: "\n").map(String.init)
        }

        @Test(arguments: [80, 200])
        func `tables have a header, relative times and lines that fit`(_ columns: Int) throws {
            let server = try ready()
            for list in ["package list", "version list -p news", "release list -p news", "audit", "token list"] {
                let outcome = try terminal(list, server, columns: columns)
                #expect(outcome.status == 0, "\(outcome)")
                let lines = plain(outcome.output)
                #expect(lines.allSatisfy { $0.count <= columns }, "\(list): \(lines)")
                #expect(lines[0] == lines[0].uppercased() && lines.count > 1, "\(list): \(lines)")
                #expect(!outcome.output.contains(#/\d{4}-\d\d-\d\dT/#), "\(list): \(lines)")
            }
            let packages = plain(try terminal("package list", server, columns: columns).output)
            #expect(packages.last?.contains("…") == (columns == 80), "\(packages)")
        }

        @Test func `wide characters take two columns, and a cut keeps them whole`() throws {
            let server = try Server()
            try server.putPackage("news", #"{"name": "\#(String(repeating: "新闻频道", count: 12))"}"#)
            try server.putPackage("map", #"{"name": "地图"}"#)
            let lines = plain(try terminal("package list", server).output)
            func columns(_ text: Substring) -> Int {
                text.unicodeScalars.reduce(0) { $0 + (0x4E00...0x9FFF ~= $1.value ? 2 : 1) }
            }
            #expect(lines.allSatisfy { columns($0[...]) <= 80 } && lines[2].contains("频"), "\(lines)")
            let places = try lines.dropFirst().map {
                columns($0[..<(try #require($0.firstRange(of: "true")).lowerBound)])
            }
            #expect(Set(places).count == 1, "\(lines)")
        }

        @Test func `a list is limited, filtered and sorted, and says that it goes on`() throws {
            let server = try ready()
            try server.putPackage("map", #"{"name": "Atlas"}"#)
            let first = try terminal("package list --limit 1", server).output
            #expect(
                first.contains("map") && !first.contains("News") && first.contains("The first 1 are shown"), "\(first)")
            #expect(try !terminal("package list --limit 2", server).output.contains("are shown"))
            #expect(try piped("package list --sort -id --limit 1 --quiet", server).output == "news\n")
            #expect(try piped("package list --text atl --quiet", server).output == "map\n")
            #expect(try piped("version list -p news --prefix 2 --quiet", server).output == "2\n")
            #expect(try piped("release list --state active --quiet", server).output == "1\n")
            #expect(try piped("release list -p news --channel production --state halted --quiet", server).output == "")
            for words in ["--limit 0", "--limit x"] {
                let refused = try piped("package list \(words)", server)
                #expect(refused.status == 64 && refused.errorOutput.contains("--limit must be"), "\(refused)")
            }
            let wrong = try piped("package list --sort size", server)
            #expect(wrong.status == 2 && wrong.errorOutput.contains("id, -id, name, -name"), "\(wrong)")
        }

        @Test func `COLUMNS makes no table of a pipe`() throws {
            let server = try ready()
            let outcome = try Program.run(
                [Larder.path, "package", "list"], environment: server.environment.merging(["COLUMNS": "40"]) { $1 })
            #expect(
                outcome.output.contains(String(repeating: "News ", count: 29)) && !outcome.output.contains("PRIORITY"))
        }

        @Test func `a pipe gets whole texts, times by RFC 3339, no header and no colour`() throws {
            let server = try ready()
            let releases = try piped("release list -p news", server).output
            #expect(
                releases.wholeMatch(of: #/1  1  production  active  100  \d{4}-\d\d-\d\dT[\d:]+Z  1  -  news\n/#)
                    != nil,
                "\(releases)")
            let packages = try piped("package list", server).output
            #expect(packages.contains(String(repeating: "News ", count: 29)) && !packages.contains("\u{1B}"))
        }

        @Test func `colours are shown on a terminal, unless the environment says otherwise`() throws {
            let server = try ready()
            func hasColor(_ environment: [String: String]) throws -> Bool {
                try terminal("release list -p news", server, environment).output.contains("\u{1B}[32mactive")
            }
            #expect(try hasColor([:]))
            #expect(try !hasColor(["NO_COLOR": "1"]))
            #expect(try hasColor(["NO_COLOR": ""]))
            #expect(try !hasColor(["TERM": "dumb"]))
        }

        @Test(arguments: [
            "release make -p news -v 2", "release widen 2 --percent 100 -p news", "release complete 2 -p news",
            "rollback 2 -p news", "release rollback 2 -p news", "kill -p news --to https://m.example.com/",
            "package change news --enable false", "token revoke 2", "prune", "key make --purpose root",
        ])
        func `a change that reaches all devices is shown and confirmed on a terminal`(_ words: String) throws {
            let server = try ready()
            #expect(try piped("release make -p news -v 2 --percent 10", server).status == 0)
            #expect(try piped("token create --name ci --role publisher", server).status == 0)
            func audit() throws -> String { try server.call("GET", "/audit?limit=1").text }
            let before = try audit()
            let refused = try terminal(words, server, answer: "n")
            #expect(refused.status == 1 && refused.output.contains("Make this change? [y/N]"), "\(refused)")
            #expect(refused.output.contains("cancelled; nothing was changed"), "\(refused)")
            #expect(try audit() == before)
            let made = try terminal(words, server, answer: "y")
            #expect(made.status == 0 && made.output.contains("[y/N]"), "\(made)")
            #expect(try words == "prune" || audit() != before)
        }

        @Test func `no question is asked with '--yes', without a terminal, and for a part of the devices`() throws {
            let server = try ready()
            let partial = try terminal("release make -p news -v 2 --percent 10", server)
            #expect(partial.status == 0 && !partial.output.contains("[y/N]"), "\(partial)")
            let confirmed = try terminal("release complete 2 -p news -y", server)
            #expect(confirmed.status == 0 && !confirmed.output.contains("[y/N]"), "\(confirmed)")
            #expect(try piped("rollback 2 -p news", server).status == 0)
            let halted = try terminal("release halt 1 -p news", server)
            #expect(halted.status == 0 && !halted.output.contains("[y/N]"), "\(halted)")
        }

        @Test func `a token is entered without being shown`() throws {
            let server = try Server()
            let outcome = try terminal("login", server, answer: server.token, ["LARDER_TOKEN": ""])
            #expect(outcome.status == 0 && outcome.output.contains("signed in to"), "\(outcome)")
            #expect(!outcome.output.contains(server.token))
        }
    }
}
