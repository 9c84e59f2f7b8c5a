import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests private keys in the data directory that are encrypted with a key from outside.
    @Suite struct SealedKeyTests {
        private static let key = String(repeating: "0123456789abcdef", count: 4)
        private static let otherKey = String(repeating: "fedcba9876543210", count: 4)

        private func write(_ text: String, _ name: String = "key", mode: Int = 0o600) throws -> String {
            try write(Data(text.utf8), name, mode: mode)
        }

        private func write(_ bytes: Data, _ name: String = "key", mode: Int = 0o600) throws -> String {
            let path = "\(ScratchDirectory.path)/\(name)"
            try bytes.write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }

        /// Starts a server that is expected to fail.
        private func serve(_ options: String..., environment: [String: String] = [:]) throws -> Program.Outcome {
            try Program.run(
                [Larder.path, "serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData] + options,
                environment: environment)
        }

        /// Returns the number of occurrences of bytes in the data directory.
        private func occurrences(of bytes: Data) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: Server.defaultData).reduce(0) { count, name in
                let content = FileManager.default.contents(atPath: "\(Server.defaultData)/\(name)") ?? Data()
                return count + content.ranges(of: bytes).count
            }
        }

        private func ship(_ version: String, to server: Server) throws {
            try server.mustPublish(SamplePackage.folder("page-\(version)"), as: "news", version)
            try server.release(version, of: "news")
        }

        @Test func `the keys of before are sealed at the start, and no file of the data holds them`() throws {
            let first = try Server()
            try first.putPackage("news")
            let pem = "\(ScratchDirectory.path)/signing.pem"
            try Program.succeed(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem])
            #expect(
                try Larder.run("key", "import", pem, "--purpose", "signing", environment: first.environment).status == 0
            )
            let der = "\(ScratchDirectory.path)/signing.der"
            try Program.succeed(["openssl", "pkey", "-in", pem, "-outform", "DER", "-out", der])
            let half = try Data(contentsOf: URL(fileURLWithPath: der)).suffix(32)
            try ship("1", to: first)
            let device = LarderDevice("one")
            #expect(try device.sync("news", with: first) == "full")
            #expect(first.log.contains("private keys are stored in plain form"))
            // With the log that a crash leaves.
            try first.crash()
            #expect(try occurrences(of: half) > 0)
            #expect(try occurrences(of: Data("PRIVATE KEY".utf8)) > 0)

            let file = try write(Self.key + "\n")
            let second = try Server(token: first.token, options: ["--key-file", file])
            #expect(second.log.contains("event=keys.sealed count=4"))
            #expect(!second.log.contains("stored in plain form") && !second.log.contains("keys.remain"))
            #expect(try occurrences(of: half) == 0)
            #expect(try occurrences(of: Data("PRIVATE KEY".utf8)) == 0)
            try ship("2", to: second)
            _ = try device.sync("news", with: second)
            #expect(try device.copy(of: "news").read("index.html") == Data("<h1>page-2</h1>".utf8))
            #expect(try VerifyPage.run(against: second).status == 0)
            let legacy = try Larder.run("key", "export-legacy", environment: second.environment)
            #expect(legacy.output.contains("PRIVATE KEY"))
            #expect(try Larder.run("prune", environment: second.environment).status == 0)
            try second.stop()
            #expect(try occurrences(of: Data("PRIVATE KEY".utf8)) == 0)
            #expect(!second.log.contains(Self.key) && !second.program.output.contains(Self.key))
            #expect(try Larder.run("doctor", "--data", Server.defaultData).status == 0)
        }

        @Test func `without the key, or with another one, the server does not start and says why`() throws {
            let file = try write(Self.key)
            let first = try Server(options: ["--key-file", file])
            try first.stop()
            let missing = try serve()
            #expect(missing.status == 64 && missing.errorOutput.contains("--key-file"))
            let other = try write(Self.otherKey, "other")
            let wrong = try serve("--key-file", other)
            #expect(wrong.status == 64 && wrong.errorOutput.contains("--old-key-file"))
            #expect(!wrong.errorOutput.contains(Self.otherKey))

            let changed = try Server(token: first.token, options: ["--key-file", other, "--old-key-file", file])
            #expect(changed.log.contains("event=keys.sealed count=2"))
            try changed.stop()
            #expect(try serve("--key-file", file).status == 64)
            let last = try Server(token: first.token, environment: ["LARDER_KEY_FILE": other])
            #expect(!last.log.contains("keys.sealed"))
        }

        @Test func `the key is hex, base64 or bytes, from a file, the environment or systemd`() throws {
            let bytes = Data((0..<4).flatMap { _ in [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef] as [UInt8] })
            let first = try Server(environment: ["LARDER_KEY": Self.key.uppercased()])
            try first.stop()
            for content in [bytes, Data(bytes.base64EncodedString().utf8 + [10])] {
                try Server(token: first.token, options: ["--key-file", write(content)]).stop()
            }
            try Server(token: first.token, environment: ["LARDER_KEY": bytes.base64EncodedString()]).stop()
            // The mode that systemd sets if it gives the account access by a list.
            _ = try write(Self.key, "larder-key", mode: 0o440)
            let credential = ["CREDENTIALS_DIRECTORY": ScratchDirectory.path]
            let server = try Server(token: first.token, environment: credential)
            try server.stop()
            #expect(!server.log.contains("stored in plain form"))
        }

        @Test func `a key that others may read, or that is none, is refused`() throws {
            for mode in [0o640, 0o604, 0o660] {
                let open = try serve("--key-file", write(Self.key, mode: mode))
                #expect(open.status == 64 && open.errorOutput.contains("chmod 600"))
            }
            // Without a folder of credentials no file counts as one.
            let open = try Larder.run(
                "serve", "--data", Server.defaultData, "--key-file", write(Self.key, mode: 0o640),
                environment: ["CREDENTIALS_DIRECTORY": ""])
            #expect(open.status == 64 && open.errorOutput.contains("chmod 600"))
            for content in ["", "a", String(Self.key.dropLast()), Self.key + "00", "\(Self.key)\n\(Self.key)", "%"] {
                let none = try serve("--key-file", write(content))
                #expect(none.status == 64 && none.errorOutput.contains("contains no key"))
                #expect(none.errorOutput.contains("If private keys are encrypted already, give their key; otherwise"))
                if !content.isEmpty {
                    let variable = try serve(environment: ["LARDER_KEY": content])
                    #expect(variable.status == 64 && variable.errorOutput.contains("LARDER_KEY"))
                    #expect(content.count < 10 || !variable.errorOutput.contains(content))
                }
            }
            let file = try write(Self.key)
            let both = try serve("--key-file", file, environment: ["LARDER_KEY": Self.key])
            #expect(both.status == 64 && both.errorOutput.contains("LARDER_KEY"))
            let old = try serve("--old-key-file", file)
            #expect(old.status == 64 && old.errorOutput.contains("--key-file"))
            #expect(!FileManager.default.fileExists(atPath: Server.defaultData))
        }

        @Test func `a key file that cannot be read has another error than one without a key`() throws {
            let folder = "\(ScratchDirectory.path)/folder"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for (path, why) in [("\(ScratchDirectory.path)/none", "No such file"), (folder, "Is a directory")] {
                let outcome = try serve("--key-file", path)
                #expect(outcome.status == 64 && outcome.errorOutput.contains("cannot read the key \(path): \(why)"))
                #expect(!outcome.errorOutput.contains("openssl"))
            }
            // The limit is 256 bytes.
            let longest = try serve("--key-file", write(String(repeating: "a", count: 256)))
            #expect(longest.status == 64 && longest.errorOutput.contains("contains no key"))
            for count in [257, 100_000] {
                let long = try serve("--key-file", write(String(repeating: "a", count: count)))
                #expect(long.status == 64 && long.errorOutput.contains("is longer than a key"))
                #expect(!long.errorOutput.contains("openssl"))
            }
        }

        @Test(arguments: [
            "0123456789abcdef0123456789abcdef", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY=", "0123456789abcdef0123456789abcde\n",
        ])
        func `32 bytes of text are not accepted as a binary key`(content: String) throws {
            let file = try write(content)
            let outcome = try serve("--key-file", file)
            #expect(outcome.status == 64)
            #expect(outcome.errorOutput.contains("\(file) contains 32 characters, which is too short"))
            #expect(!outcome.errorOutput.contains(content))
            #expect(!FileManager.default.fileExists(atPath: Server.defaultData))
        }
    }
}
