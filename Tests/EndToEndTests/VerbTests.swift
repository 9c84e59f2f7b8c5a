import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the options of every verb, and that its dry run changes nothing.
    @Suite struct VerbTests {
        /// A verb in the help text.
        private struct Verb {
            /// The words with the command: `release widen`.
            let words: [String]
            let options: [String]
            var title: String { words.joined(separator: " ") }
        }

        /// Verbs without a change on a server, which have no dry run.
        private static let reading: Set<String> = [
            "serve", "lint", "sync", "simulate", "doctor", "backup", "restore", "move", "explain", "stats", "audit",
            "release list", "release show", "release estimate", "release readiness", "release-set list",
            "release-set show", "device-list list", "device-list show", "token list", "key list", "key export-legacy",
            "preset export", "preset list", "app list", "app health", "channel list", "package list", "package show",
            "package adoption", "version list", "version show", "version files", "version diff", "version archives",
            "waiver list", "device facts", "device show", "build list", "build show", "grant list", "webhook list",
            "webhook show",
            "webhook test", "webhook deliveries", "login", "logout", "profile list", "profile use", "profile remove",
            "init",
            "status", "search", "system", "man", "completion bash", "completion zsh", "completion fish",
            "completion words", "token show",
            "user list", "user show", "app show", "channel show", "waiver show", "grant show", "ci-trust list",
            "ci-trust show", "ci-trust exchange", "approval list", "approval show",
            "sign-in-provider list", "sign-in-provider show",
        ]

        /// The verb that reads a password, whose request PeopleTests checks.
        private static let ofPeople: Set<String> = ["user create"]

        private func verbs() throws -> [Verb] {
            let overview = try Larder.run("--help").output
            let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            try #require(commands.count > 10)
            return try commands.flatMap { command in
                let usage = try Larder.run(command, "--help").output.split(separator: "\n\n")[0]
                let names = usage.split(separator: "\n").compactMap { line -> String? in
                    let words = line.split(separator: " ").drop { $0 != "larder" }.dropFirst(2)
                    return words.first.flatMap { $0.allSatisfy { $0.isLowercase || $0 == "-" } ? String($0) : nil }
                        .flatMap { $0.hasPrefix("-") ? nil : $0 }
                }
                return try (names.isEmpty ? [[command]] : names.map { [command, $0] }).map { words in
                    let help = try Program.run([Larder.path] + words + ["--help"]).output
                    let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") || $0.hasPrefix("      --") }
                    let options = lines.compactMap { line in
                        line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
                    }
                    return Verb(words: words, options: options)
                }
            }
        }

        @Test func `every verb refuses options that it does not take, and says which it takes`() throws {
            let verbs = try verbs()
            #expect(verbs.count > 90)
            let all = Set(verbs.flatMap(\.options))
            for verb in verbs {
                let siblings = Set(verbs.filter { $0.words[0] == verb.words[0] }.flatMap(\.options))
                let own = Set(verb.options)
                let foreign = siblings.subtracting(own) + all.subtracting(siblings).subtracting(own).sorted().prefix(3)
                for option in foreign + ["--frobnicate"] {
                    let outcome = try Program.run(
                        [Larder.path] + verb.words + ["\(option)=1"], environment: ["LARDER_TOKEN": "x"])
                    #expect(outcome.status == 64, "\(verb.title) \(option): \(outcome)")
                    let message = outcome.errorOutput
                    #expect(message.contains("'\(verb.title)' does not accept \(option);"), "\(message)")
                    for known in verb.options { #expect(message.contains(known)) }
                }
            }
        }

        @Test func `help on a command shows each text of an option with the verbs that it is for`() throws {
            func help(_ command: String) throws -> String {
                try Larder.run(command, "--help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            let key = try help("key")
            #expect(key.contains("--purpose signing|root the purpose of the key (default signing) (make)"), "\(key)")
            #expect(key.contains("--purpose signing|legacy the purpose of the key (import)"), "\(key)")
            let set = try help("release-set")
            #expect(set.contains("devices must go back before they open the package (rollback)"), "\(set)")
            // Two verbs take it, with the same text.
            #expect(set.components(separatedBy: "--percent P the percentage").count == 2, "\(set)")
        }

        @Test func `every verb that changes something has a dry run, and no other`() throws {
            for verb in try verbs() {
                #expect(verb.options.contains("--dry-run") == !Self.reading.contains(verb.title), "\(verb.title)")
            }
        }

        private func larder(_ server: Server, _ words: String) throws -> Program.Outcome {
            try Program.run(
                [Larder.path] + words.split(separator: " ").map(String.init), environment: server.environment,
                upTo: .seconds(60))
        }

        /// Starts a server with an object for each verb.
        private func ready() throws -> Server {
            let server = try Server()
            for package in ["common", "news"] {
                try server.putPackage(package)
                for version in ["1", "2", "9"] {
                    try server.mustPublish(try SamplePackage.folder(package + version), as: package, version)
                }
            }
            try Data("ann\n".utf8).write(to: URL(fileURLWithPath: "\(ScratchDirectory.path)/testers.txt"))
            try Program.succeed(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem])
            try Data("s3cret\n".utf8).write(to: URL(fileURLWithPath: secretFile))
            let later = "--at 2999-01-01T00:00:00Z"
            for line in [
                "release make --package news --version 1", "release make --package news --version 2 --percent 10",
                "release make --package news --version 2 \(later)",
                "release make --package news --version 2 --percent 20",
                "release pause 4 --package news", "release make --package common --version 1",
                "release-set make news@2 common@2 --percent 10", "release-set make news@2 common@2 \(later)",
                "release-set make news@2 common@2 --percent 20", "release-set pause 3",
                "preset make --for 1 --packages news@1", "token create --name ci --role publisher",
                "build set 8.3 --apis camera", "waiver set source-map --package news --reason known",
                "grant set checkout --origin https://a.example --apis pay --expires 2999-01-01T00:00:00Z",
                "webhook create --url https://ci.example.com/larder", "version retire 9 --package news --reason old",
                "key import \(pem) --purpose signing", "channel create unused", "package create unused",
                "device-list put unused \(ScratchDirectory.path)/testers.txt",
                "ci-trust create github \(Self.trust)", "channel create guarded",
                "channel change guarded --approvals 1",
                "sign-in-provider put acme \(provider)",
            ] {
                let outcome = try larder(server, line)
                try #require(outcome.status == 0, "\(line): \(outcome.errorOutput)")
            }
            let ann = #"{"name": "ann", "password": "a long pass phrase", "grants": [{"role": "releaser"}]}"#
            try #require(try server.call("POST", "/users", ann).status == 201)
            // The token of the tests decides on the request of another person, and withdraws its own.
            try #require(try ask(server) == 202)
            let asked = try larder(
                server, "release make --package news --version 1 --channel guarded --approval-reason first")
            try #require(
                asked.status == 0 && asked.output.contains("Waits for approval 2")
                    && asked.output.contains("larder approval approve 2"), "\(asked)")
            return server
        }

        /// Asks for the approval of a release as the user ann, and returns the status of the response.
        ///
        /// Tokens that the token of the tests makes count as that token.
        private func ask(_ server: Server) throws -> Int {
            let signIn = #"{"user": "ann", "password": "a long pass phrase"}"#
            let cookie = try #require(try server.call("POST", "/session", signIn).fields["set-cookie"])
            let body = #"{"version": "1", "channel": "guarded"}"#
            let connection = try server.connect()
            try connection.sendHead(
                "POST", "/api/v1/apps/default/packages/news/releases",
                [
                    "Cookie": String(cookie.prefix { $0 != ";" }), "Sec-Fetch-Site": "same-origin",
                    "Content-Length": "\(body.utf8.count)",
                ])
            try connection.send(body.utf8)
            return try connection.receive().status
        }

        private static let trust =
            #"--issuer https://ci.example --audience larder --claims {"project":"shop"} --role publisher --app default"#

        private var provider: String {
            "--issuer https://id.example --label Acme --client-id larder --client-secret-file \(secretFile) "
                + #"--groups [{"group":"staff","grants":[{"role":"viewer"}]}]"#
        }

        private var secretFile: String { "\(ScratchDirectory.path)/client-secret.txt" }
        private var pem: String { "\(ScratchDirectory.path)/signing.pem" }

        /// Returns the audit log, which has every change, and the objects of each kind.
        private func state(_ server: Server) throws -> [String] {
            let app = "/apps/default"
            return try [
                "/audit", "/tokens", "\(app)/packages", "\(app)/packages/news/releases", "\(app)/release-sets",
                "\(app)/packages/news/versions", "\(app)/presets", "\(app)/keys", "\(app)/device-lists", "/apps",
                "\(app)/channels", "\(app)/builds", "\(app)/page-grants", "\(app)/health",
                "\(app)/approvals", "\(app)/packages/news/waivers", "\(app)/packages/news/versions/1/archives",
                "/users", "/ci-trusts",
                "/sign-in-providers",
            ].map { path in
                let response = try server.call("GET", path)
                try #require(response.status == 200, "\(path): \(response.text)")
                // The time of the last use is stored once a minute.
                return response.text.replacing(/,"lastUsedAt":"[^"]*"/, with: "")
            }
        }

        @Test func `a dry run of each verb is done, and changes nothing`() throws {
            let server = try ready()
            struct Keys: Decodable {
                struct Key: Decodable {
                    let keyId: String
                    let purpose: String
                }
                let keys: [Key]
            }
            let keys = try server.call("GET", "/apps/default/keys").json(as: Keys.self).keys
            let signing = try #require(keys.first { $0.purpose == "signing" }).keyId
            try Program.succeed(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem])
            let folder = try SamplePackage.folder("news3")
            let rules = #"{"rules":[{"metric":"crashes","ceiling":5}]}"#
            let lines = [
                "publish \(folder) --package news --version 3",
                "release make --package news --version 1 --percent 50", "release widen 2 --percent 50 --package news",
                "release move 3 --at 2998-01-01T00:00:00Z --package news", "release pause 2 --package news",
                "release resume 4 --package news", "release judge 2 --package news --health \(rules)",
                "release halt 2 --package news", "release complete 2 --package news",
                "release-set make news@1 common@1 --percent 5", "release-set widen 1 --percent 50",
                "release-set judge 1 --health \(rules)", "release-set move 2 --at 2998-01-01T00:00:00Z",
                "release-set pause 1", "release-set resume 3",
                "release-set halt 1", "release-set complete 1", "release-set rollback 1 --to news@1,common@1",
                "rollback 2 --package news", "kill --package news --to https://m.example.com/",
                "online --package news --for 2h", "online --package news --end",
                "device-list put testers \(ScratchDirectory.path)/testers.txt", "token create --name new --role admin",
                "token revoke 2", "key make", "key make --purpose root", "key import \(pem) --purpose signing",
                "key retire \(signing)", "preset make --for 2 --packages news@2", "preset delete --for 1", "prune",
                "release rollback 2 --package news", "app create travel", "app set-health default --rules []",
                "channel create beta", "package create shop", "package change news --name Neu",
                "version notes 1 --package news --notes first", "version retire 9 --package common --reason old",
                "version unretire 9 --package news", "version build-archive 1 flat --package news",
                "waiver set secret --package news --reason known", "waiver delete source-map --package news",
                "device erase ann", "build set 8.4 --apis camera", "build delete 8.3",
                "grant set pay --origin https://b.example --apis pay --expires 2999-01-01T00:00:00Z",
                "grant delete checkout", "webhook create --url https://ci.example.com/other",
                "webhook change 1 --events release.*", "webhook delete 1", "webhook rotate-secret 1",
                "webhook pause 1", "webhook resume 1", "channel delete unused", "package delete unused",
                "device-list delete unused", "token change 2 --name robot", "token rotate 2",
                "user change ann --grants publisher", "user delete ann", "ci-trust create other \(Self.trust)",
                "ci-trust replace github \(Self.trust)", "ci-trust delete github", "approval approve 1",
                "approval reject 1", "approval withdraw 2", "channel change unused --approvals 1",
                "sign-in-provider put acme \(provider) --scopes openid", "sign-in-provider delete acme",
            ]
            for line in lines {
                // Read again for each verb, because the server builds smaller patches meanwhile.
                let before = try state(server)
                let outcome = try larder(server, line + " --dry-run")
                #expect(outcome.status == 0, "\(line): \(outcome.errorOutput)")
                #expect(try state(server) == before, "\(line)")
                #expect(!outcome.output.contains("larder_"), "\(line) shows a secret")
                let json = try larder(server, line + " --dry-run --json")
                #expect(json.output.contains("\"dryRun\":true") || line.hasPrefix("publish"), "\(line): \(json.output)")
            }
            let missing = try verbs().filter { $0.options.contains("--dry-run") }.filter { verb in
                !lines.contains { $0.hasPrefix(verb.title + " ") || $0 == verb.title }
                    && !Self.ofPeople.contains(verb.title)
            }
            #expect(missing.map(\.title) == [])
        }

        @Test func `options of other verbs end with 64, and no request is sent`() throws {
            for line in [
                "release pause 7 --rules garbage --percent 50 --package news", "release-set halt 1 --to news@1",
                "release list --percent 5 --package news", "key list --purpose signing", "token list --reason admin",
            ] {
                let outcome = try Program.run(
                    [Larder.path] + line.split(separator: " ").map(String.init),
                    environment: ["LARDER_SERVER": "http://127.0.0.1:1", "LARDER_TOKEN": "x"])
                #expect(
                    outcome.status == 64 && outcome.errorOutput.contains(" does not accept --"), "\(line): \(outcome)")
            }
        }
    }
}
