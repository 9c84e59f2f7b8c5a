import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the messages for wrong use of the command line.
    @Suite struct CommandTests {
        private func page() throws -> String { try SamplePackage.folder("page") }

        @Test func `a wrong token is refused`() throws {
            let server = try Server()
            try server.putPackage("news")
            let outcome = try Larder.run(
                "publish", page(), "--package", "news", "--version", "1",
                environment: ["LARDER_SERVER": server.base, "LARDER_TOKEN": "wrong"])
            #expect(outcome.status == 2)
            #expect(outcome.errorOutput.contains("token"))
            #expect(try server.versions(of: "news") == [])

            let listing = try Larder.run(
                "token", "list", environment: ["LARDER_SERVER": server.base, "LARDER_TOKEN": "wrong"])
            #expect(listing.status == 2)
        }

        @Test func `without a token no request is sent`() throws {
            let outcome = try Larder.run("publish", page(), "--package", "news", "--version", "1")
            #expect(outcome.status == 64)
            #expect(outcome.errorOutput.contains("--token-file"))
            #expect(outcome.errorOutput.contains("LARDER_TOKEN"))
        }

        @Test func `a token file without a token has another error than one that cannot be read`() throws {
            let file = "\(ScratchDirectory.path)/token"
            for (count, why) in [
                (nil, "cannot read the token \(file): No such file"), (4_096, "\(file) contains no token"),
                (4_097, "\(file) is longer than a token"),
            ] {
                if let count { try Data(repeating: 10, count: count).write(to: URL(fileURLWithPath: file)) }
                let outcome = try Larder.run("token", "list", "--server", "http://127.0.0.1:1", "--token-file", file)
                #expect(outcome.status == 1 && outcome.errorOutput.contains(why), "\(outcome)")
            }
        }

        @Test func `a server that is down is a failure that may pass`() throws {
            let server = try Server()
            try server.crash()
            let publishing = try Larder.run(
                "publish", page(), "--package", "news", "--version", "1", environment: server.environment)
            #expect(publishing.status == 1)
            #expect(publishing.errorOutput.contains("127.0.0.1:\(server.port)"))
            let sync = try Larder.run("sync", server.base, "\(ScratchDirectory.path)/device")
            #expect(sync.status == 1)
            #expect(sync.errorOutput.contains("127.0.0.1:\(server.port)"))
            #expect(try Larder.run("token", "list", environment: server.environment).status == 1)
        }

        @Test func `a bad zip is refused with the entry that is at fault`() throws {
            let server = try Server()
            try server.putPackage("news")
            let zip = "\(ScratchDirectory.path)/bad.zip"
            try Program.succeed([
                "python3", "-c",
                """
                import sys, zipfile
                with zipfile.ZipFile(sys.argv[1], "w") as archive:
                    archive.writestr("index.html", "fine")
                    archive.writestr("../outside.js", "not fine")
                """, zip,
            ])
            let outcome = try server.publish(zip, as: "news", "1")
            #expect(outcome.status == 2)
            #expect(outcome.errorOutput.contains("../outside.js"))
            #expect(try server.versions(of: "news") == [])
        }

        @Test func `a file that is not a zip has another error than a missing one`() throws {
            let server = try Server()
            try server.putPackage("news")
            let text = try page() + "/index.html"
            let noZip = try server.publish(text, as: "news", "1")
            #expect(noZip.status == 2)
            #expect(noZip.errorOutput.contains("not a zip"))
            let missing = try server.publish("\(ScratchDirectory.path)/nothing", as: "news", "1")
            #expect(missing.status == 1)
            #expect(missing.errorOutput.contains("/nothing"))
            #expect(missing.errorOutput.contains("nothing at"))
        }

        @Test func `a used version string and a missing package are refused`() throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(page(), as: "news", "1")
            let other = try SamplePackage.folder("other")
            let taken = try server.publish(other, as: "news", "1")
            #expect(taken.status == 2)
            #expect(taken.errorOutput.contains("new version"))
            let unknown = try server.publish(other, as: "nothing", "1")
            #expect(unknown.status == 2)
            #expect(unknown.errorOutput.contains("'nothing'"))
        }

        @Test(arguments: [
            ["publish"], ["publish", "here"], ["publish", "here", "--package", "news"],
            ["publish", "here", "--package", "../up", "--version", "1"],
            ["publish", "here", "--package", "news", "--version", "1", "--unwrap", "yes"],
            ["publish", "here", "there", "--package", "news", "--version", "1"],
            ["publish", "here", "--package", "news", "--version", "1", "--loudly"],
            ["publish", "here", "--package"],
            ["publish", "here", "--package", "news", "--version", "1", "--if-exists", "replace"],
            ["publish", "here", "--package", "news", "--version", "1", "--commit", "a\nb"],
            ["publish", "here", "--package", "news", "--version", "1", "--dry-run=1"],
            ["lint"], ["lint", "here", "there"], ["lint", "here", "--url-prefix", "news"],
            ["lint", "here", "--entry", "../up"], ["lint", "here", "--entry", "a", "--no-entry"],
            ["sync"], ["sync", "http://127.0.0.1:1"], ["sync", "ftp://127.0.0.1", "here"],
            ["sync", "http://127.0.0.1:1", "here", "--root-key", "abc"],
            ["token"], ["token", "make"], ["token", "create", "--role", "admin"],
            ["token", "create", "--name", "ci", "--role", "king"], ["token", "revoke", "first"],
            ["token", "create", "--name", "ci", "--role", "admin", "more"], ["token", "list", "more"],
            ["token", "revoke", "1", "2"],
            ["key"], ["key", "sign"], ["key", "list", "more"], ["key", "list", "--app", "No"], ["key", "make", "more"],
            ["key", "make", "--purpose", "legacy"], ["key", "make", "--public"],
            ["key", "import", "here", "--purpose", "legacy", "--public"], ["key", "import"], ["key", "import", "here"],
            ["key", "import", "here", "--purpose", "root"], ["key", "import", "here", "there", "--purpose", "signing"],
            ["key", "retire"], ["key", "retire", "first"], ["key", "retire", "0123456789abcdef", "more"],
            ["key", "export-legacy", "more"],
            ["serve", "here"], ["serve", "--listen", "nowhere"], ["serve", "--drain-seconds", "0"],
            ["serve", "--public-url", "example"], ["serve", "--data", "one", "--data", "two"],
            ["prune", "here"], ["prune", "--dry-run=yes"], ["doctor"], ["doctor", "--data", ""], ["doctor", "here"],
            ["serve", "--grace-hours", "23"], ["serve", "--prune", "maybe"], ["serve", "--kernel-tls", "on"],
            ["serve", "--keep-versions", "-1"],
            [], ["frobnicate"],
        ])
        func `wrong use ends with 64 and a word about it`(_ words: [String]) throws {
            let outcome = try Program.run([Larder.path] + words, environment: ["LARDER_TOKEN": "x"])
            #expect(outcome.status == 64)
            #expect(!(outcome.errorOutput + outcome.output).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: "data"))
        }

        @Test(arguments: ["serve", "lint", "publish", "sync", "token", "key", "prune", "doctor"])
        func `every command explains itself`(_ command: String) throws {
            let help = try Larder.run(command, "--help")
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("usage: larder \(command)"))
            #expect(help.errorOutput.isEmpty)
            let overview = try Larder.run("--help")
            #expect(overview.status == 0)
            #expect(overview.output.contains("  \(command) "))
        }

        @Test func `a port in use is named`() throws {
            let server = try Server()
            let outcome = try Larder.run(
                "serve", "--listen", "127.0.0.1:\(server.port)", "--data", "\(ScratchDirectory.path)/second")
            #expect(outcome.status == 1)
            #expect(outcome.errorOutput.contains("127.0.0.1:\(server.port)"))
            #expect(outcome.errorOutput.contains("Address already in use"))
        }

        @Test func `a data directory that cannot be made is named`() throws {
            // Also for root, whom file modes do not restrict.
            let file = try page() + "/index.html"
            let outcome = try Larder.run("serve", "--listen", "127.0.0.1:0", "--data", "\(file)/data")
            #expect(outcome.status == 1)
            #expect(outcome.errorOutput.contains("\(file)"))
            #expect(outcome.errorOutput.contains("Not a directory"))
        }

        @Test func `a database of a newer larder is left alone`() throws {
            try Server().stop()
            let database = "\(Server.defaultData)/larder.sqlite"
            try Program.succeed([
                "python3", "-c",
                """
                import sqlite3, sys
                with sqlite3.connect(sys.argv[1]) as database:
                    database.execute("PRAGMA user_version = 999")
                """, database,
            ])
            let before = try Data(contentsOf: URL(fileURLWithPath: database))
            let outcome = try Larder.run("serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData)
            #expect(outcome.status == 1)
            #expect(outcome.errorOutput.contains("schema 999"))
            #expect(outcome.errorOutput.contains("newer larder"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
        }

        @Test(arguments: [
            ("max-upload-bytes", 4_294_967_294), ("max-package-files", 65_533), ("max-file-bytes", 4_294_967_294),
            ("max-package-bytes", 4_294_967_294), ("max-compression-ratio", 1032),
            ("max-reports", 1_000_000_000), ("drain-seconds", 86_400), ("takeover-seconds", 172_800),
        ])
        func `a number may be set up to its bound and no further`(_ name: String, _ bound: Int) throws {
            for number in [1, bound] {
                let outcome = try Larder.run("serve", "--\(name)", "\(number)", "--print-config")
                #expect(outcome.status == 0)
                #expect(outcome.output.contains("\(name) = \(number)  (flag)"))
            }
            for number in [0, bound + 1, .max] {
                let outcome = try Larder.run("serve", "--\(name)", "\(number)", "--print-config")
                #expect(outcome.status == 64)
                #expect(outcome.errorOutput.contains("--\(name) must be a whole number from 1 to \(bound)"))
            }
        }

        @Test(arguments: [
            ("keep-versions", 0...1_000_000), ("keep-days", 0...36_500), ("grace-hours", 24...87_600),
            ("hsts-seconds", 0...315_360_000), ("max-report-ids", 0...1_000_000_000),
        ])
        func `each limit of what is kept may be set within its bounds`(_ name: String, _ range: ClosedRange<Int>) throws
        {
            for number in [range.lowerBound, range.upperBound] {
                #expect(try Larder.run("serve", "--\(name)", "\(number)", "--print-config").status == 0)
            }
            for number in [range.lowerBound - 1, range.upperBound + 1] {
                let outcome = try Larder.run("serve", "--\(name)=\(number)", "--print-config")
                #expect(outcome.status == 64)
                #expect(outcome.errorOutput.contains("from \(range.lowerBound) to \(range.upperBound)"))
            }
        }

        @Test(arguments: ["operator-requests-per-second", "reports-per-second"])
        func `a rate may be set up to its bound, and to none`(_ name: String) throws {
            for number in [0, 1, 1_000_000] {
                #expect(try Larder.run("serve", "--\(name)", "\(number)", "--print-config").status == 0)
            }
            for number in [-1, 1_000_001] {
                #expect(try Larder.run("serve", "--\(name)=\(number)", "--print-config").status == 64)
            }
        }

        /// Returns the first of so many results that meets the condition.
        private func first<Result>(
            of count: Int, _ attempt: () throws -> Result, where isWanted: (Result) -> Bool
        ) rethrows -> Result? {
            for _ in 0..<count {
                let result = try attempt()
                if isWanted(result) { return result }
            }
            return nil
        }

        @Test func `a client that exceeds its rate gets 429, and a pipeline waits`() throws {
            let server = try Server(options: ["--operator-requests-per-second", "1", "--reports-per-second", "1"])
            try server.putPackage("news")
            // A slow machine may refill a token in between.
            let refused = try #require(
                try first(of: 50) {
                    try server.call("GET", "/apps")
                } where: {
                    $0.status == 429
                })
            #expect(refused.fields["retry-after"] == "1")
            let publishing = try Program(
                [Larder.path, "publish", page(), "--package", "news", "--version", "1"], environment: server.environment
            )
            // These requests take each token at once, however slowly the command starts.
            try Waiting.until("the command to be refused") {
                _ = try server.call("GET", "/apps")
                return publishing.errorOutput.contains("Retrying in 1 s") || publishing.poll() != nil
            }
            #expect(publishing.errorOutput.contains("Retrying in 1 s"))
            #expect(try publishing.wait() == .exited(0), "\(publishing.errorOutput)")
            for _ in 0..<10 { #expect(try server.get("/report").status == 202) }
            #expect(
                try first(of: 50) {
                    try server.get("/report")
                } where: {
                    $0.status == 429
                } != nil)
            #expect(try server.get("/config").status == 200)
        }

        @Test func `the server takes as many descriptors as it may have`() throws {
            let server = try Server(wrapper: ["prlimit", "--nofile=200:3000"])
            let limits = try String(contentsOfFile: "/proc/\(server.program.pid)/limits", encoding: .utf8)
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            #expect(line.split(separator: " ").dropFirst(3).prefix(2) == ["3000", "3000"])
        }

        @Test func `the effective configuration is printed with the source of each value`() throws {
            let outcome = try Larder.run(
                "serve", "--data", "/srv/larder", "--print-config",
                environment: ["LARDER_DRAIN_SECONDS": "7", "LARDER_DATA": "/elsewhere"])
            #expect(outcome.status == 0)
            let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            #expect(lines.contains("data = /srv/larder (flag)"))
            #expect(lines.contains("drain-seconds = 7 (environment)"))
            #expect(lines.contains("listen = 127.0.0.1:8080 (default)"))
            #expect(!FileManager.default.fileExists(atPath: "/srv/larder"))
        }
    }
}
