import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the program with its metadata in PostgreSQL.
    @Suite struct PostgreSQLTests {
        private let cluster: PostgresCluster
        private let name: String
        private var options: [String] { ["--database", cluster.url(of: name)] }

        init() throws {
            cluster = try PostgresCluster.shared.get()
            name = try cluster.makeDatabase()
        }

        @Test func `a package is published, released, installed and reported, and a restart keeps all of it`() throws {
            let server = try Server(options: options)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            try server.release("1.0.0", of: "news")
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
            try server.stop()
            #expect(!FileManager.default.fileExists(atPath: "\(Server.defaultData)/larder.sqlite"))

            let second = try Server(token: server.token, options: options)
            #expect(try second.versions(of: "news") == ["1.0.0"])
            #expect(try second.config()["news"]?.version == "1.0.0")
            let stats = try second.call("GET", "/apps/default/packages/news/stats")
            #expect(stats.text.contains("\"applied\":{\"reports\":1,\"devices\":1}"), "\(stats.text)")
            try second.stop()
            let check = try Larder.run(arguments("doctor", "--data", Server.defaultData))
            #expect(check.status == 0, "\(check.output) \(check.errorOutput)")
            cluster.discard(name)
        }

        @Test func `without its database a server sends what it has, refuses changes, and connects again`() throws {
            let server = try Server(options: options)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            try server.release("1.0.0", of: "news")
            try cluster.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            try endConnections()

            #expect(try server.config()["news"]?.version == "1.0.0")
            let refused = try server.call("PUT", "/apps/default/packages/more", "{}")
            #expect(refused.status == 503 && refused.text.contains("\"storage-unavailable\""), "\(refused.text)")
            #expect(refused.fields["retry-after"] == "5")
            #expect(try server.get("/readyz").status == 503)
            #expect(try server.get("/healthz").status == 200)

            try cluster.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
            try Waiting.until("the connection") { try server.get("/readyz").status == 200 }
            try server.putPackage("more")
            // A connection that ended while it was idle costs no request.
            try endConnections()
            try server.putPackage("further")
            cluster.discard(name)
        }

        @Test func `a server refuses a database or a data directory that belongs to another one`() throws {
            let server = try Server(options: options)
            let second = try Larder.run(
                arguments("serve", "--listen", "127.0.0.1:0", "--data", "\(ScratchDirectory.path)/other"))
            #expect(second.status == 1 && second.errorOutput.contains("in use by another larder"))
            try server.stop()

            let data = ["--listen", "127.0.0.1:0", "--data", Server.defaultData]
            let none = try Larder.run(["serve"] + data)
            #expect(none.status == 1 && none.errorOutput.contains("--database"), "\(none.errorOutput)")
            let other = try cluster.makeDatabase()
            let wrong = try Larder.run(["serve"] + data + ["--database", cluster.url(of: other)])
            #expect(wrong.status == 1 && wrong.errorOutput.contains("belong to the database"), "\(wrong.errorOutput)")
            #expect(try tables(of: other) == "0")
            let backup = try Larder.run("backup", "--data", Server.defaultData, "\(ScratchDirectory.path)/backup")
            #expect(backup.status == 1 && backup.errorOutput.contains("pg_dump"), "\(backup.errorOutput)")
            cluster.discard(name)
            cluster.discard(other)
        }

        @Test func `a start removes no archive, and the check of the data names those without a reference`() throws {
            let server = try Server(options: options)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news"), as: "news", "1.0.0")
            try server.stop()
            let digest = String(repeating: "07", count: 32)
            let blob = "\(Server.defaultData)/blobs/07/\(digest)"
            try Data("later".utf8).write(to: URL(filePath: blob))

            try Server(token: server.token, options: options).stop()
            #expect(FileManager.default.fileExists(atPath: blob))
            let arguments = ["doctor", "--data", Server.defaultData]
            let check = try Program.run(
                [Larder.path] + arguments, environment: ["LARDER_DATABASE": cluster.url(of: name)])
            #expect(check.status == 0, "\(check.output) \(check.errorOutput)")
            #expect(check.output.contains("Without a reference: \(blob)\n"), "\(check.output)")
            cluster.discard(name)
        }

        @Test(arguments: ["larder:Zm9v/SECRET+8=@db:5432/larder", "larder:p@SECRET@db/larder"])
        func `a password that is not percent-encoded is refused and not repeated`(_ rest: String) throws {
            let data = ["--data", Server.defaultData]
            for arguments in [["serve", "--print-config"], ["serve"] + data, ["doctor"] + data] {
                let run = try Larder.run(arguments + ["--database", "postgresql://\(rest)"])
                #expect(run.status == 64 && run.errorOutput.contains("percent-encode"), "\(run.errorOutput)")
                #expect(!(run.output + run.errorOutput).contains("SECRET"))
            }
        }

        @Test func `the password of the database is in no output`() throws {
            let url = "postgresql://larder:hidden-secret@/\(name)?host=\(cluster.folder)"
            let shown = try Larder.run("serve", "--print-config", "--database", url)
            #expect(shown.status == 0 && shown.output.contains("database = postgresql://larder@"))
            let malformed = try Larder.run("serve", "--database", "\(url)&nothing=1")
            #expect(malformed.status == 64 && malformed.errorOutput.contains("must be a URL"))
            let missing = try Larder.run(
                "serve", "--data", Server.defaultData, "--listen", "127.0.0.1:0", "--database",
                "postgresql://larder:hidden-secret@/absent?host=\(cluster.folder)")
            #expect(missing.status == 1 && missing.errorOutput.contains("does not exist"), "\(missing.errorOutput)")
            let server = try Server(options: ["--database", url])
            try server.stop()
            for text in [shown.output, malformed.errorOutput, missing.errorOutput, server.log] {
                #expect(!text.contains("hidden-secret"), "\(text)")
            }
            cluster.discard(name)
        }

        private func arguments(_ words: String...) -> [String] { words + options }

        /// Returns the number of tables of a database.
        private func tables(of database: String) throws -> String {
            let count = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            let run = try Program.run(
                ["psql", "-XAt", "-h", cluster.folder, "-U", PostgresCluster.user, "-d", database, "-c", count])
            return run.output.trimmingCharacters(in: .newlines)
        }

        private func endConnections() throws {
            try cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
        }
    }
}

extension Larder {
    /// Runs a command to its end.
    fileprivate static func run(_ arguments: [String]) throws -> Program.Outcome {
        try Program.run([path] + arguments)
    }
}
