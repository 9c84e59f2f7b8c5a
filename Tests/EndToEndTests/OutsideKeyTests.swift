import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests a command that signs with a key outside of the server.
    @Suite struct OutsideKeyTests {
        private struct Key: Decodable {
            let keyId: String
            let privateHalf: Bool
        }

        private var folder: String { ScratchDirectory.path }

        /// Installs a script as the command.
        private func write(_ script: String) throws {
            let path = "\(folder)/sign"
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }

        /// Installs the script of docs/operations.md.
        private func writeGood(encoding: String = "cat") throws {
            try write(
                """
                set -eu
                test "$LARDER_SIGN_APP $LARDER_SIGN_PURPOSE" = "default signing"
                message=$(mktemp)
                trap 'rm -f "$message"' EXIT
                cat > "$message"
                openssl pkeyutl -sign -inkey "$1" -rawin -in "$message" | \(encoding)
                """)
        }

        @Test func `an outside key signs, and a version that it does not sign is not published`() throws {
            let pem = "\(folder)/key.pem"
            let publicPEM = "\(folder)/public.pem"
            try Program.succeed(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem])
            try Program.succeed(["openssl", "pkey", "-in", pem, "-pubout", "-out", publicPEM])
            try writeGood()
            let command = ["--sign-command", "\(folder)/sign \(pem)"]
            // A parent process may have set this; the exit status of child processes would be lost.
            let server = try Server(options: command, wrapper: ["perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV"])
            try server.putPackage("news")
            try server.mustPublish(SamplePackage.folder("one"), as: "news", "1")
            try server.release("1", of: "news")
            func take(_ file: String, _ words: String...) throws -> Program.Outcome {
                try Program.run(
                    [Larder.path, "key", "import", file, "--purpose", "signing"] + words,
                    environment: server.environment)
            }
            let whole = try take(pem, "--public")
            #expect(whole.status == 2 && whole.errorOutput.contains("only the public half"))
            let taken = try take(publicPEM, "--public", "--json")
            try #require(taken.status == 0, "\(taken.errorOutput)")
            let key = try JSONDecoder().decode(Key.self, from: Data(taken.output.utf8))
            #expect(!key.privateHalf)
            let keys = try Larder.run("key", "list", environment: server.environment)
            let lines = keys.output.split(separator: "\n")
            #expect(
                lines.filter { $0.contains("  in use  private half outside") }.map { $0.prefix(16) } == [
                    key.keyId[...]
                ])
            #expect(lines.count { $0.contains("  in use") } == 4)
            let first = try #require(
                keys.output.split(separator: "\n").first { $0.contains("  signing  ") && !$0.hasPrefix(key.keyId) })
            let retired = try Larder.run("key", "retire", String(first.prefix(16)), environment: server.environment)
            #expect(retired.status == 0 && !retired.output.contains("outside"))
            #expect(try VerifyPage.run(against: server).status != 0)
            let device = "\(folder)/device"
            let refused = try Larder.run("sync", server.base, device)
            #expect(refused.status == 1 && refused.errorOutput.contains("--accept-unsigned"))
            let synced = try Larder.run("sync", server.base, device, "--accept-unsigned")
            #expect(synced.status == 0 && synced.errorOutput.contains("is not signed"), "\(synced.errorOutput)")
            let verified = try VerifyPage.run(against: server, acceptsUnsigned: true)
            #expect(verified.status == 0 && verified.output.hasSuffix("signed by key \(key.keyId)\n"))

            for script in ["exit 1", "echo hello", "yes", "exec sleep 600", "cat", "head -c 64 /dev/zero", ":"] {
                try write(script)
                let outcome = try server.publish(SamplePackage.folder("two"), as: "news", "2")
                #expect(outcome.status == 1 && outcome.errorOutput.contains("signs with"), "\(outcome.errorOutput)")
            }
            #expect(try server.versions(of: "news") == ["1"])
            for (version, encoding) in [("2", "openssl base64 -A"), ("3", "openssl base64")] {
                try writeGood(encoding: encoding)
                try server.mustPublish(SamplePackage.folder(version), as: "news", version)
            }
            try server.release("3", of: "news")
            #expect(try VerifyPage.run(against: server, acceptsUnsigned: true).status == 0)
            try server.stop()

            let without = try Server(token: server.token)
            #expect(try VerifyPage.run(against: without, acceptsUnsigned: true).status == 0)
            let outcome = try without.publish(SamplePackage.folder("four"), as: "news", "4")
            #expect(outcome.status == 1 && outcome.errorOutput.contains("--sign-command"), "\(outcome.errorOutput)")
            try without.stop()
            #expect(try Larder.run("doctor", "--data", Server.defaultData).status == 0)
        }

        @Test(arguments: ["sign", "./sign", "sh -c true", " "]) func `a command is an absolute path`(
            command: String
        ) throws {
            let outcome = try Larder.run("serve", "--data", Server.defaultData, "--sign-command", command)
            #expect(outcome.status == 64 && outcome.errorOutput.contains("absolute path"))
        }
    }
}
