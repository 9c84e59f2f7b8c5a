import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests `larder login`, the profiles that it stores, and what precedes them.
    @Suite struct ProfileTests {
        private var file: String { "\(ScratchDirectory.path)/config/larder/profiles.json" }

        private func larder(_ words: String, _ environment: [String: String] = [:]) throws -> Program.Outcome {
            try Program.run([Larder.path] + words.split(separator: " ").map(String.init), environment: environment)
        }

        /// Runs `larder login` with a token on standard input.
        private func signIn(_ token: String, _ words: String) throws -> Program.Outcome {
            let path = "\(ScratchDirectory.path)/\(UUID().uuidString)"
            try Data(token.utf8).write(to: URL(fileURLWithPath: path))
            return try Program.run(["sh", "-c", "exec \(Larder.path) login \(words) < \(path)"])
        }

        @Test func `a token is checked and stored for its owner, and later commands need no option`() throws {
            let server = try Server()
            let wrong = try signIn("larder_wrong", "--server \(server.base)")
            #expect(wrong.status == 2 && !FileManager.default.fileExists(atPath: file), "\(wrong)")
            let outcome = try signIn(server.token + "\n", "--server \(server.base)")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(
                outcome.output == "signed in to \(server.base) as initial (#1), admin; profile 'default'\n",
                "\(outcome)")
            #expect(!(outcome.output + outcome.errorOutput).contains(server.token))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try larder("app list").output == "default\n")
            let profiles = try larder("profile list --json").output
            #expect(profiles.contains(server.base) && !profiles.contains(server.token), "\(profiles)")
            #expect(try larder("logout").status == 0)
            #expect(try larder("app list").errorOutput.contains("run 'larder login'"))
        }

        @Test func `an option precedes the environment, which precedes the profile, which precedes the default`() throws
        {
            let server = try Server()
            #expect(try server.call("PUT", "/apps/travel").status == 201)
            #expect(try signIn(server.token, "--server \(server.base) --app travel --profile work").status == 0)
            func app(_ words: String, _ environment: [String: String] = [:]) throws -> String {
                try larder("status --json \(words)", environment).output
            }
            #expect(try app("").contains(#""app":"travel""#))
            #expect(try app("", ["LARDER_APP": "default"]).contains(#""app":"default""#))
            #expect(try app("-a travel", ["LARDER_APP": "default"]).contains(#""app":"travel""#))
            #expect(try larder("app list", ["LARDER_TOKEN": "larder_wrong"]).status == 2)
            #expect(try larder("app list", ["LARDER_SERVER": "http://127.0.0.1:1", "LARDER_TOKEN": "x"]).status == 1)
            #expect(try larder("app list --profile nowhere").status == 64)
            #expect(try signIn(server.token, "--server \(server.base) --profile second").status == 0)
            #expect(try app("").contains(#""app":"default""#))
            #expect(try app("", ["LARDER_PROFILE": "work"]).contains(#""app":"travel""#))
            #expect(try app("-P work", ["LARDER_PROFILE": "second"]).contains(#""app":"travel""#))
            #expect(try larder("profile use work").status == 0)
            #expect(try app("").contains(#""app":"travel""#))
            #expect(try larder("profile remove work").status == 0)
            #expect(try larder("profile list -q").output == "second\n")
        }

        @Test func `the token of a profile is sent to its own server only`() throws {
            let server = try Server()
            #expect(try signIn(server.token, "--server \(server.base)").status == 0)
            let other = TinyServer { _ in .response(200, [:], Array(#"{"apps": []}"#.utf8)) }
            defer { other.stop() }
            let outcome = try larder("app list --server \(other.base)")
            #expect(
                outcome.status == 64 && outcome.errorOutput.contains("the profile is for \(server.base)"), "\(outcome)")
            #expect(other.requests.isEmpty)
        }

        @Test func `a profile whose session cannot be ended is removed all the same, and the user is told`() throws {
            let server = try Server()
            #expect(try signIn(server.token, "--server \(server.base)").status == 0)
            for address in ["http://127.0.0.1:1", "no address"] {
                try Data(
                    """
                    {"current": "default", "profiles": {"default": {"server": "\(address)", "token": "larder_cli_ab"}}}
                    """.utf8
                ).write(to: URL(fileURLWithPath: file))
                let outcome = try larder("logout")
                #expect(outcome.status == 0 && outcome.output.contains("could not be ended"), "\(outcome)")
                #expect(try larder("profile list -q").output == "")
            }
        }

        @Test func `profiles that other accounts can read are refused`() throws {
            let server = try Server()
            #expect(try signIn(server.token, "--server \(server.base)").status == 0)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
            let outcome = try larder("app list")
            #expect(outcome.status == 1 && outcome.errorOutput.contains("chmod 600"), "\(outcome)")
            #expect(try larder("app list", server.environment).status == 0)
        }
    }
}
