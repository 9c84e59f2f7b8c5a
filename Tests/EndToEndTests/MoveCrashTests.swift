import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests moves that are killed at several points, and their continuation.
    @Suite(.enabled(if: Probe.canTrace, "strace may not attach here"))
    struct MoveCrashTests {
        private let cluster: PostgresCluster
        private let bucket: S3Server
        private let name: String
        private var url: String { cluster.url(of: name) }
        private var options: [String] {
            ["--blobs", "s3://\(S3Server.bucket)/live", "--s3-endpoint", bucket.endpoint, "--s3-path-style", "on"]
        }

        init() throws {
            cluster = try PostgresCluster.shared.get()
            bucket = try S3Server()
            name = try cluster.makeDatabase()
        }

        private static let environment = [
            "AWS_ACCESS_KEY_ID": S3Server.accessKey, "AWS_SECRET_ACCESS_KEY": S3Server.secretKey,
        ]

        private func path(_ name: String) -> String { "\(ScratchDirectory.path)/\(name)" }

        /// Runs a move that is killed when one of its threads begins such a call for the n-th time; returns whether it
        /// was killed.
        private func isKilled(at calls: String, _ number: Int, _ arguments: [String]) throws -> Bool {
            let program = try Program(
                [
                    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
                    "inject=\(calls):signal=SIGKILL:when=\(number)", Larder.path, "move",
                ] + arguments, environment: Self.environment)
            return try program.wait() != .exited(0)
        }

        /// Whether a database of SQLite has the mark of a move.
        private func isMarked(_ database: String) throws -> Bool {
            let script = """
                import sqlite3, sys
                rows = sqlite3.connect(sys.argv[1]).execute("SELECT 1 FROM sqlite_schema WHERE name = 'larder_move'")
                sys.exit(0 if rows.fetchone() else 1)
                """
            return try Program.run(["python3", "-c", script, database]).status == 0
        }

        private func run(_ command: String, _ arguments: [String]) throws -> Program.Outcome {
            try Program.run([Larder.path, command] + arguments, environment: Self.environment)
        }

        private func expectRefused(_ arguments: [String], _ context: String) throws {
            let outcome = try run("serve", ["--listen", "127.0.0.1:0"] + arguments)
            #expect(outcome.status == 1 && outcome.errorOutput.contains("is not complete"), "\(context): \(outcome)")
        }

        /// Creates an installation with versions of a package, and returns its token.
        private func ship() throws -> String {
            let server = try Server()
            try server.putPackage("news")
            for version in ["1", "2", "3"] {
                let noise = SamplePackage.noise(50_000, seed: UInt64(version) ?? 0)
                try server.mustPublish(
                    try SamplePackage.folder("page-\(version)", ["a.bin": noise]), as: "news", version)
                try server.release(version, of: "news")
            }
            try server.stop()
            return server.token
        }

        @Test func `a move to PostgreSQL that is killed is continued, and no server uses its target before`() throws {
            let token = try ship()
            let arguments = ["--from", Server.defaultData, "--to", url] + options
            let serving = ["--data", path("b"), "--database", url] + options
            for number in [40, 120, 260, 400] {
                #expect(try isKilled(at: "sendto", number, arguments))
                try expectRefused(serving, "sendto \(number)")
            }
            // One of the synchronizations makes the mark of the source durable, just before the end.
            var number = 0
            while try !isMarked("\(Server.defaultData)/larder.sqlite") {
                number += 1
                try #require(try isKilled(at: "fdatasync", number, arguments), "the move ended unseen")
                try expectRefused(serving, "fdatasync \(number)")
            }
            let left = try run("serve", ["--listen", "127.0.0.1:0", "--data", Server.defaultData])
            #expect(left.status == 1 && left.errorOutput.contains("was moved to"), "\(left)")
            let outcome = try run("move", arguments)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("copied: 0 "), "the archives are in the bucket: \(outcome.output)")
            let server = try Server(
                data: path("b"), token: token, options: Array(serving.dropFirst(2)), environment: Self.environment)
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
            #expect(try server.versions(of: "news").sorted() == ["1", "2", "3"])
            try server.stop()
            #expect(try run("doctor", serving).status == 0)
            cluster.discard(name)
        }

        @Test func `a move from PostgreSQL that is killed is continued, and no server uses its target before`() throws {
            let token = try ship()
            let forth = try run("move", ["--from", Server.defaultData, "--to", url] + options)
            try #require(forth.status == 0, "\(forth)")
            let target = path("c")
            let arguments = ["--from", url, "--to", target] + options
            let blobs = try FileManager.default.subpathsOfDirectory(atPath: "\(Server.defaultData)/blobs").count {
                path in
                path.contains("/")
            }
            // The first rename marks the target.
            #expect(try isKilled(at: "rename", 1, arguments))
            // The second one is that of the first blob, which marks the target before.
            #expect(try isKilled(at: "rename", 2, arguments))
            try expectRefused(["--data", target], "first blob")
            // Three blobs are in place then.
            #expect(try isKilled(at: "rename", 4, arguments))
            try expectRefused(["--data", target], "fourth blob")
            // After the other blobs comes the rename of the database, when the source has its mark already.
            #expect(try isKilled(at: "rename", blobs - 3 + 1, arguments))
            try expectRefused(["--data", target], "database")
            let left = try run(
                "serve", ["--listen", "127.0.0.1:0", "--data", path("d"), "--database", url] + options)
            #expect(left.status == 1 && left.errorOutput.contains("was moved to"), "\(left)")
            let outcome = try run("move", arguments)
            #expect(outcome.status == 0 && outcome.output.contains("copied: 0 "), "\(outcome)")
            #expect(FileManager.default.fileExists(atPath: "\(target)/larder.sqlite"))
            #expect(try run("doctor", ["--data", target]).status == 0)
            let server = try Server(data: target, token: token)
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
            try server.stop()
            cluster.discard(name)
        }
    }
}
