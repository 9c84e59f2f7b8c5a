import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests releasing on the command line.
    @Suite struct ReleaseTests {
        private func ready(_ versions: String...) throws -> Server {
            let server = try Server()
            try server.putPackage("news")
            for version in versions {
                try server.mustPublish(try SamplePackage.folder("v" + version), as: "news", version)
            }
            return server
        }

        private func larder(_ server: Server, _ words: String) throws -> Program.Outcome {
            try Program.run(
                [Larder.path] + words.split(separator: " ").map(String.init), environment: server.environment,
                upTo: .seconds(60))
        }

        private func version(_ server: Server, _ query: String = "") throws -> String? {
            let response = try server.get("/config" + query)
            return try response.json(as: [String: ConfigEntry].self)["news"]?.version
        }

        @Test func `a gray release is widened, halted, resumed and rolled back`() throws {
            let server = try ready("1", "2")
            #expect(try larder(server, "release make --package news --version 1").status == 0)
            let made = try larder(server, "release make --package news --version 2 --percent 0")
            #expect(made.status == 0 && made.output.contains("2 2 production active 0 %"), "\(made)")
            #expect(made.errorOutput.contains("warning: Old clients that send no facts"))
            #expect(try version(server, "?deviceId=ann") == "1")

            let list = "\(ScratchDirectory.path)/testers.txt"
            try Data("ann\n".utf8).write(to: URL(fileURLWithPath: list))
            #expect(try larder(server, "device-list put testers \(list)").output == "testers: 1 devices\n")
            let testers = try larder(server, "release make --package news --version 2 --whitelist testers")
            #expect(testers.status == 0)
            #expect(try version(server, "?deviceId=ann") == "2")
            #expect(try version(server, "?deviceId=bob") == "1")
            let explained = try larder(server, "explain deviceId=bob")
            #expect(explained.output.contains("news: gets 1"))
            #expect(explained.output.contains("release 3, 2: refused: it is not on the list 'testers'"), "\(explained)")

            #expect(try larder(server, "release widen 3 --percent 100 --package news").status == 0)
            #expect(try version(server) == "2")
            let halted = try larder(server, "release halt 3 --package news")
            #expect(halted.output.contains("go back to the next lower release that matches them, first"), "\(halted)")
            #expect(try version(server) == "1")
            #expect(try version(server, "?have=news@2") == "2")
            #expect(try larder(server, "release resume 3 --package news").status == 0)
            let stale = try larder(server, "release complete 3 --package news --if-revision 1")
            #expect(stale.status == 2 && stale.errorOutput.contains("revision"), "\(stale)")
            let dry = try larder(server, "rollback 3 --package news --to 1 --dry-run")
            #expect(dry.output.hasPrefix("would end 3 (2); would begin 1\n"), "\(dry)")
            #expect(try version(server) == "2")
            #expect(try larder(server, "rollback 3 --package news --to 1").status == 0)
            #expect(try version(server) == "1")
            let listed = try larder(server, "release list --package news")
            #expect(listed.output.contains("3  2  production  rolled-back"), "\(listed)")
        }

        @Test func `a retired package leaves one page on devices of every age, and what needs it stays`() throws {
            let server = try ready()
            try server.putPackage("common")
            try server.mustPublish(
                try SamplePackage.folder("c7", ["big.js": SamplePackage.noise(100_000, seed: 7)]), as: "common", "7.0")
            let folder = try SamplePackage.folder("n1")
            let published = try Program.run(
                [Larder.path, "publish", folder, "--package", "news", "--version", "1", "--needs", "common >=7"],
                environment: server.environment, upTo: .seconds(60))
            #expect(published.status == 0, "\(published)")
            #expect(try larder(server, "release make --package common --version 7.0").status == 0)
            #expect(try larder(server, "release make --package news --version 1").status == 0)
            let key = "\(ScratchDirectory.path)/legacy.pem"
            try server.writeLegacyKey(to: key)
            let devices: [any Device] = [LarderDevice("a"), SeedDevice("b", privateKey: key)]
            for device in devices {
                _ = try device.sync("common", with: server)
                #expect(try device.copy(of: "common").files.contains("big.js"))
            }

            let killed = try larder(server, "kill --package common --to https://m.example.com/common/")
            #expect(killed.status == 0, "\(killed)")
            for device in devices {
                _ = try device.sync("common", with: server)
                let copy = try device.copy(of: "common")
                #expect(copy.files.subtracting(["app.config.json", "files.json"]) == ["index.html"], "\(copy)")
                #expect(try copy.files.reduce(0) { try $0 + copy.read($1).count } < 4096)
                #expect(try device.copy(of: "news").files.contains("index.html"))
            }
            #expect(try version(server) == "1")

            let retire = "/apps/default/packages/common/versions/7.0/retire"
            #expect(try server.call("POST", retire, #"{"reason": "gone for good"}"#).status == 200)
            let again = try larder(server, "release make --package common --version 7.0")
            #expect(again.status == 2 && again.errorOutput.contains("retired"), "\(again)")
        }

        @Test func `a release is estimated before it is made, and its readiness is shown after`() throws {
            let server = try ready("1", "2")
            #expect(try larder(server, "release make --package news --version 1").status == 0)
            for query in ["?deviceId=ann&region=CN&have=news@1", "?deviceId=bob&region=SG&have=news@1"] {
                #expect(try version(server, query) == "1")
            }
            let rules = #"--rules [{"fact":"region","in":["CN"]}]"#
            try Waiting.until("both devices are written") {
                try larder(server, "release estimate --package news --version 2 \(rules)").output
                    .hasPrefix("1 of 2 devices would match (50 %), with 100 % at ")
            }
            let estimated = try larder(server, "release estimate --package news --version 2 \(rules)")
            #expect(estimated.output.contains("1 refused first by: the rule 'region in CN'"), "\(estimated)")
            #expect(try larder(server, "release list --package news").output.split(separator: "\n").count == 1)
            let readiness = try larder(server, "release readiness 1 --package news")
            #expect(
                readiness.output.hasPrefix("2 of 2 devices have 1 already (100 %); 0 do not report"), "\(readiness)")
            let json = try larder(server, "release readiness 1 --package news --json")
            #expect(json.status == 0 && json.output.contains(#""holding":2"#), "\(json)")
        }

        @Test func `a device that sends its app version gets a version that fits, and keeps it by sync`() throws {
            let server = try ready("1")
            #expect(try larder(server, "release make --package news --version 1").status == 0)
            let folder = try SamplePackage.folder("new")
            let published = try larder(
                server, "publish \(folder) --package news --version 2 --min-app-version 8.3")
            #expect(published.status == 0, "\(published)")
            #expect(try larder(server, "release make --package news --version 2").status == 0)
            let old = try larder(server, "sync \(server.base) \(ScratchDirectory.path)/old --facts appVersion=8.2")
            #expect(old.status == 0 && old.output.contains("1"), "\(old)")
            let new = try larder(server, "sync \(server.base) \(ScratchDirectory.path)/new --facts appVersion=8.3.1")
            #expect(new.status == 0, "\(new)")
            func installed(_ device: String) throws -> String {
                let path = "\(ScratchDirectory.path)/\(device)/news/app.config.json"
                return try String(contentsOfFile: path, encoding: .utf8)
            }
            #expect(try installed("old").contains("\"1\""))
            #expect(try installed("new").contains("\"2\""))
        }

        @Test func `a set is made, shown, rescheduled and rolled back as a whole`() throws {
            let server = try Server()
            for package in ["common", "news"] {
                try server.putPackage(package)
                for version in ["1", "2"] {
                    try server.mustPublish(try SamplePackage.folder(package + version), as: package, version)
                }
                #expect(try larder(server, "release make --package \(package) --version 1").status == 0)
            }
            func versions() throws -> [String?] {
                let config = try server.get("/config").json(as: [String: ConfigEntry].self)
                return ["common", "news"].map { config[$0]?.version }
            }
            let made = try larder(server, "release-set make news@2 common@2 --percent 0")
            #expect(made.status == 0 && made.output.hasPrefix("1 production active 0 %"), "\(made)")
            #expect(made.output.contains("  common 2, release 3\n  news 2, release 4\n"), "\(made)")
            #expect(try versions() == ["1", "1"])
            #expect(try larder(server, "release-set widen 1 --percent 100 --if-revision 1").status == 0)
            #expect(try versions() == ["2", "2"])
            let alone = try larder(server, "release halt 4 --package news")
            #expect(alone.status == 2 && alone.errorOutput.contains("larder release-set halt 1"), "\(alone)")
            #expect(try larder(server, "release-set halt 1").output.contains("go back to the next lower release"))
            #expect(try versions() == ["1", "1"])
            #expect(try larder(server, "release-set resume 1").status == 0)
            let dry = try larder(server, "release-set rollback 1 --dry-run")
            #expect(dry.output.contains("news: would end 4 (2); would begin 1\n"), "\(dry)")
            #expect(try versions() == ["2", "2"])
            let done = try larder(server, "release-set rollback 1 --to news@1,common@1")
            #expect(done.output.hasSuffix("release set 2 replaces it\n"), "\(done)")
            #expect(try versions() == ["1", "1"])
            let listed = try larder(server, "release-set list")
            #expect(listed.output.contains("1  production  rolled-back"), "\(listed)")
            let shown = try larder(server, "release-set show 2 --json")
            #expect(shown.output.contains("\"releaseSet\":2"), "\(shown)")
        }

        @Test func `a dry run exits with 2 if the change would be refused for what devices lose`() throws {
            let server = try ready()
            for package in ["common", "shop"] {
                try server.putPackage(package)
                for version in ["1.0", "1.1"] {
                    try server.mustPublish(try SamplePackage.folder(package + version), as: package, version)
                }
                #expect(try larder(server, "release make --package \(package) --version 1.0").status == 0)
            }
            #expect(try larder(server, "release make --package common --version 1.1").status == 0)
            let published = try Program.run(
                [Larder.path, "publish", try SamplePackage.folder("n"), "--package", "news", "--version", "1"]
                    + ["--needs", "common ~1.1"], environment: server.environment, upTo: .seconds(60))
            #expect(published.status == 0, "\(published)")
            #expect(try larder(server, "release make --package news --version 1").status == 0)

            /// Checks that the dry run is refused unless it is forced, and that nothing changes.
            func expectRefusal(_ line: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
                let dry = try larder(server, line + " --dry-run")
                #expect(
                    dry.status == 2 && dry.errorOutput.contains("would be refused without --force"), "\(dry)",
                    sourceLocation: sourceLocation)
                #expect(dry.errorOutput.contains("devices lose news 1 from"), sourceLocation: sourceLocation)
                let json = try larder(server, line + " --dry-run --json")
                #expect(json.status == 2 && json.output.contains(#""losses":["#), sourceLocation: sourceLocation)
                let forced = try larder(server, line + " --dry-run --force")
                #expect(forced.status == 0, "\(forced)", sourceLocation: sourceLocation)
                #expect(try larder(server, line).status == 2, sourceLocation: sourceLocation)
                #expect(try version(server) == "1", sourceLocation: sourceLocation)
            }
            try expectRefusal("rollback 3 --package common")
            try expectRefusal("kill --package common --to https://m.example.com/ --version 9")
            #expect(try larder(server, "release-set make common@1.1 shop@1.1 --again").status == 0)
            #expect(try larder(server, "rollback 3 --package common --to 1.0").status == 0)
            try expectRefusal("release-set rollback 1 --to common@1.0,shop@1.0")
        }

        @Test func `commands with wrong options print a remedy, and send no request`() throws {
            let environment = ["LARDER_SERVER": "http://127.0.0.1:1", "LARDER_TOKEN": "t"]
            for (words, why) in [
                ("release", "a verb is missing; give one of make"),
                ("release make --version 1", "--package is missing"),
                ("release make --package news", "--version is missing"),
                ("release make --package news --version 1 --percent 5%", "a percentage"),
                ("release make --package news --version 1 --plan 5", "--plan must be steps"),
                ("release widen --package news --percent 5", "the release number is missing"),
                ("release widen 1 --package news", "give --percent, --without-rules or both"),
                ("release stop 1 --package news", "not a verb of"),
                ("release-set", "a verb is missing; give one of make"),
                ("release-set make", "the versions are missing"),
                ("release-set make news@1 news", "not PACKAGE@VERSION"),
                ("release-set make news@1 news@2", "given twice"),
                ("release-set widen 1", "give --percent, --without-rules or both"),
                ("release-set move 1", "--at is missing"),
                ("release-set halt", "the number of the release set is missing"),
                ("release-set rollback 1 --to news", "not PACKAGE@VERSION"),
                ("release-set stop 1", "give one of make"),
                ("rollback --package news", "the release number is missing"), ("explain appVersion", "FACT=VALUE"),
                ("device-list put testers", "give the name of the list and a file"),
                ("device-list put No file", "not a valid list name"),
                ("sync http://127.0.0.1:1 x --facts mood=good", "FACT=VALUE"),
            ] {
                let outcome = try Program.run(
                    [Larder.path] + words.split(separator: " ").map(String.init), environment: environment,
                    upTo: .seconds(30))
                #expect(outcome.status == 64 && outcome.errorOutput.contains(why), "\(words): \(outcome)")
            }
        }

        @Test func `a package is served online for a while, then killed, and brought back`() throws {
            let server = try ready("1")
            #expect(try larder(server, "release make --package news --version 1").status == 0)
            let device = LarderDevice("device")
            #expect(try device.sync("news", with: server) == "full")

            let online = try larder(server, "online --package news --for 2h")
            #expect(
                online.status == 0 && online.output.contains("config: opens the pages from the network"), "\(online)")
            #expect(try server.get("/config").text.contains("onlineUntil"))
            #expect(try larder(server, "online --package news --end").status == 0)
            #expect(try !server.get("/config").text.contains("onlineUntil"))
            #expect(try larder(server, "online --package news").status == 64)

            let dry = try larder(server, "kill --package news --to https://m.example.com/ --dry-run")
            #expect(
                dry.output.hasPrefix(
                    "dry run, nothing was changed:\nreplaces 1\n  config: installs the version"), "\(dry)")
            #expect(dry.status == 0 && dry.output.hasSuffix("would publish and release 1.1\n"), "\(dry)")
            #expect(try version(server) == "1")
            let killed = try larder(server, "kill --package news --to https://m.example.com/")
            #expect(killed.output.hasSuffix("released 1.1 as release 2\n"), "\(killed)")
            #expect(try device.sync("news", with: server) != "unchanged")
            #expect(try larder(server, "kill --package news --to nowhere").status == 2)
            #expect(try larder(server, "rollback 2 --package news").status == 0)
            #expect(try version(server) == "1")
        }
    }
}
