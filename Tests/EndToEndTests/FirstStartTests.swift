import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the first token and its protection (semantics.md §9).
    @Suite struct FirstStartTests {
        private func mode(of path: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return try #require(attributes[.posixPermissions] as? NSNumber).intValue
        }

        @Test func `the first start writes a token that only the owner can read, and logs its path`() throws {
            let server = try Server()
            let file = "\(Server.defaultData)/initial-token"
            #expect(try mode(of: file) == 0o600)
            #expect(try mode(of: Server.defaultData) == 0o700)
            try Waiting.until("the path in the output") { server.program.output.contains(file) }
            #expect(try server.call("GET", "/tokens").status == 200)
        }

        @Test func `a second start makes no second token`() throws {
            let first = try Server()
            try first.stop()
            let second = try Server()
            #expect(second.token == first.token)
            let tokens = try Larder.run("token", "list", environment: second.environment)
            #expect(tokens.output.split(separator: "\n").count == 1)
            #expect(!second.program.output.contains("initial-token"))

            // The file belongs to the operator: once removed, it stays so.
            try second.stop()
            try FileManager.default.removeItem(atPath: "\(Server.defaultData)/initial-token")
            let third = try Server(token: first.token)
            #expect(!FileManager.default.fileExists(atPath: "\(Server.defaultData)/initial-token"))
            #expect(try third.call("GET", "/tokens").status == 200)
        }

        @Test func `the first token is written to the configured path, and no other user can read it`() throws {
            let file = "\(ScratchDirectory.path)/token"
            try Data("an old one, twice as long as any token that there could be".utf8).write(
                to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let server = try Server(tokenFile: file)
            #expect(try mode(of: file) == 0o600)
            #expect(!FileManager.default.fileExists(atPath: "\(Server.defaultData)/initial-token"))
            let listing = try Larder.run(
                "token", "list", "--token-file", file, environment: ["LARDER_SERVER": server.base])
            #expect(listing.status == 0, "\(listing.errorOutput)")
        }

        @Test func `a token that cannot be written is not made`() throws {
            let blocked = try Larder.run(
                "serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData, "--initial-token-file",
                "\(ScratchDirectory.path)/nowhere/token")
            #expect(blocked.status == 1)
            #expect(blocked.errorOutput.contains("nowhere/token"))
            #expect(try Server().call("GET", "/tokens").status == 200)
        }

        @Test func `tokens are made, used and revoked from the command line`() throws {
            let server = try Server()
            try server.putPackage("news")
            let made = try Larder.run(
                "token", "create", "--name", "ci", "--role", "publisher", environment: server.environment)
            #expect(made.status == 0, "\(made.errorOutput)")
            let secret = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let environment = ["LARDER_SERVER": server.base, "LARDER_TOKEN": secret]
            let page = try SamplePackage.folder("page")
            func publish(_ version: String) throws -> Int32 {
                try Larder.run("publish", page, "--package", "news", "--version", version, environment: environment)
                    .status
            }
            #expect(try publish("1") == 0)
            #expect(try Larder.run("token", "list", environment: environment).status == 2)
            #expect(try Larder.run("token", "revoke", "2", environment: server.environment).status == 0)
            #expect(try publish("2") == 2)
        }

        @Test func `no secret is in the log or in a response`() throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news")
            _ = try LarderDevice("device").sync("news", with: server)
            let key = try server.call("GET", "/apps/default/keys/legacy")
            #expect(key.text.contains("PRIVATE KEY"))
            let responses = try server.get("/config").text + server.get("/keys.json").text
            // A wrong token too, because it may be valid at another server.
            let wrong = try Larder.run(
                "token", "list", environment: ["LARDER_SERVER": server.base, "LARDER_TOKEN": "larder_wrong-one"])
            #expect(wrong.status == 2)
            try server.stop()
            for text in [server.log, server.program.output, responses, wrong.errorOutput] {
                #expect(!text.contains(server.token))
                #expect(!text.contains("PRIVATE KEY"))
                #expect(!text.contains("larder_wrong-one"))
            }
        }
    }
}
