import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests changes of an app's keys while devices use them.
    @Suite struct KeyTests {
        private struct Key: Decodable, Equatable {
            let keyId: String
            let purpose: String
            let retiredAt: String?
        }

        private struct List: Decodable {
            let keys: [Key]
            let retired: [Key]
        }

        private func key(_ server: Server, _ words: String...) throws -> Program.Outcome {
            try Program.run([Larder.path, "key"] + words, environment: server.environment)
        }

        private func done<Result: Decodable>(_ outcome: Program.Outcome) throws -> Result {
            try #require(outcome.status == 0, "\(outcome.errorOutput)")
            return try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
        }

        private func ship(_ version: String, to server: Server) throws {
            try server.mustPublish(SamplePackage.folder("page-\(version)"), as: "news", version)
            try server.release(version, of: "news")
        }

        @Test func `signing keys change, and devices that pin the root key never notice`() throws {
            let server = try Server()
            try server.putPackage("news")
            try ship("1", to: server)
            let device = LarderDevice("one")
            #expect(try device.sync("news", with: server) == "full")
            let before: List = try done(key(server, "list", "--json"))
            let old = try #require(before.keys.first { $0.purpose == "signing" }).keyId

            let made: Key = try done(key(server, "make", "--json"))
            #expect(made.purpose == "signing" && made.keyId != old)
            try ship("2", to: server)
            _ = try device.sync("news", with: server)
            #expect(try device.copy(of: "news").read("index.html") == Data("<h1>page-2</h1>".utf8))
            #expect(try VerifyPage.run(against: server).status == 0)

            let retired = try key(server, "retire", old)
            #expect(retired.status == 0 && retired.output.hasPrefix("\(old)  signing  created "))
            #expect(retired.output.contains("  retired 2"))
            let after: List = try done(key(server, "list", "--json"))
            #expect(after.retired.map(\.keyId) == [old] && after.retired.first?.retiredAt != nil)
            try ship("3", to: server)
            _ = try device.sync("news", with: server)
            #expect(try device.copy(of: "news").read("index.html") == Data("<h1>page-3</h1>".utf8))
            let verified = try VerifyPage.run(against: server)
            #expect(verified.status == 0 && verified.output.hasSuffix("signed by key \(made.keyId)\n"))

            let pinned = try Larder.run(
                "sync", server.base, "\(ScratchDirectory.path)/pinned", "--root-key", server.rootFingerprint())
            #expect(pinned.status == 0, "\(pinned.errorOutput)")
            let last = try key(server, "retire", made.keyId)
            #expect(last.status == 2 && last.errorOutput.contains("the only signing key"))
            try server.stop()
            #expect(try Larder.run("doctor", "--data", Server.defaultData).status == 0)
        }

        @Test func `the root key changes, and devices that pinned or remember the one before follow it`() throws {
            let server = try Server()
            try server.putPackage("news")
            try ship("1", to: server)
            let device = LarderDevice("one")
            #expect(try device.sync("news", with: server) == "full")
            let pinned = "\(ScratchDirectory.path)/pinned"
            func sync(into folder: String, pinning root: String) throws -> Program.Outcome {
                try Larder.run("sync", server.base, folder, "--root-key", root)
            }
            let first = try server.rootFingerprint()
            #expect(try sync(into: pinned, pinning: first).status == 0)
            let made: Key = try done(key(server, "make", "--purpose", "root", "--json"))
            #expect(made.purpose == "root")
            #expect(try done(key(server, "make", "--purpose", "root", "--json")) as Key != made)
            let last = try server.rootFingerprint()
            try ship("2", to: server)
            _ = try device.sync("news", with: server)
            #expect(try device.copy(of: "news").read("index.html") == Data("<h1>page-2</h1>".utf8))
            for (folder, root) in [(pinned, first), (pinned, last), (pinned + "-new", first), (pinned + "-last", last)]
            {
                let outcome = try sync(into: folder, pinning: root)
                #expect(outcome.status == 0, "\(outcome.errorOutput)")
            }
            let stranger = try sync(into: pinned + "-other", pinning: String(repeating: "0", count: 64))
            #expect(stranger.status != 0 && stranger.errorOutput.contains("nor a successor that this key has signed"))

            for root in [first, last] {
                let verified = try VerifyPage.run(against: server, root: root)
                #expect(verified.status == 0, "\(verified.errorOutput)")
            }
            let other = try VerifyPage.run(against: server, root: String(repeating: "0", count: 64))
            #expect(other.status != 0 && !other.output.contains("signed by key"))
            let swapped = try VerifyPage.run(
                against: server, root: first, inserting: #"sed -i 's/"signature":"..../"signature":"AAAA/' changes"#,
                afterMaking: "changes")
            #expect(swapped.status != 0 && !swapped.output.contains("signed by key"))
            let list = try key(server, "list")
            #expect(list.output.contains("\(first.prefix(16))  root  created ") && list.output.contains(last))
            // The keys in use come first, and then the retired ones.
            let lines = list.output.split(separator: "\n")
            let areRetired = lines.map { $0.contains("  retired ") }
            let retired = areRetired.count { $0 }
            #expect(retired > 0 && retired < lines.count && areRetired.suffix(retired).allSatisfy { $0 })
            for count in 1...lines.count + 1 {
                let cut = try key(server, "list", "--limit", "\(count)")
                #expect(cut.output.split(separator: "\n") == Array(lines.prefix(count)), "\(cut)")
            }
            #expect(try key(server, "list", "--limit", "3", "-q").output.split(separator: "\n").count == 3)
            #expect(try key(server, "list", "--limit", "0").status == 64)
            try server.stop()
            #expect(try Larder.run("doctor", "--data", Server.defaultData).status == 0)
        }

        @Test func `keys are imported, and an invalid one is refused`() throws {
            let server = try Server()
            let file = "\(ScratchDirectory.path)/key.pem"
            try Program.succeed(["openssl", "genpkey", "-algorithm", "ed25519", "-out", file])
            let imported: Key = try done(key(server, "import", file, "--purpose", "signing", "--json"))
            let list = try key(server, "list")
            #expect(list.status == 0 && list.output.contains("\(imported.keyId)  signing  created "))
            #expect(try list.output.contains("  root  created ") && list.output.contains(server.rootFingerprint()))
            let wrong = try key(server, "import", file, "--purpose", "legacy")
            #expect(wrong.status == 2 && wrong.errorOutput.contains("RSA"))
            let missing = try key(server, "import", file + "x", "--purpose", "legacy")
            #expect(missing.status == 1)
            #expect(missing.errorOutput.contains("cannot read the key \(file)x: No such file"))
            // The limit is 32 KiB of input.
            try Data(repeating: 10, count: 32_768).write(to: URL(fileURLWithPath: file))
            #expect(try key(server, "import", file, "--purpose", "signing").status == 2)
            try Data(repeating: 10, count: 32_769).write(to: URL(fileURLWithPath: file))
            let long = try key(server, "import", file, "--purpose", "signing")
            #expect(long.status == 1 && long.errorOutput.contains("\(file) is longer than a key"))

            let none = try key(server, "export-legacy")
            #expect(none.status == 2 && none.output.isEmpty)
            try Program.succeed(["openssl", "genpkey", "-algorithm", "RSA", "-out", file])
            #expect(try key(server, "import", file, "--purpose", "legacy").status == 0)
            let exported = try key(server, "export-legacy")
            #expect(try exported.output == String(contentsOfFile: file, encoding: .utf8))
            #expect(try key(server, "list", "--app", "none").status == 2)
            #expect(!server.log.contains("PRIVATE"))
        }
    }
}
