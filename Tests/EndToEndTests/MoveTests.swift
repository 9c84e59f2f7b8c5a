import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests moves of an installation between SQLite and PostgreSQL.
    @Suite struct MoveTests {
        private let cluster: PostgresCluster
        private let name: String
        private var url: String { cluster.url(of: name) }
        private var source: String { Server.defaultData }

        init() throws {
            cluster = try PostgresCluster.shared.get()
            name = try cluster.makeDatabase()
        }

        private static let bucketKeys = [
            "AWS_ACCESS_KEY_ID": S3Server.accessKey, "AWS_SECRET_ACCESS_KEY": S3Server.secretKey,
        ]

        private func path(_ name: String) -> String { "\(ScratchDirectory.path)/\(name)" }

        private func options(_ bucket: S3Server) -> [String] {
            ["--blobs", "s3://\(S3Server.bucket)/live", "--s3-endpoint", bucket.endpoint, "--s3-path-style", "on"]
        }

        private func move(_ arguments: String...) throws -> Program.Outcome { try move(arguments) }

        private func move(_ arguments: [String]) throws -> Program.Outcome {
            try Program.run([Larder.path, "move"] + arguments, environment: Self.bucketKeys)
        }

        private func succeed(_ outcome: Program.Outcome) throws {
            try #require(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        }

        private func doctor(_ arguments: [String]) throws -> Program.Outcome {
            try Program.run([Larder.path, "doctor"] + arguments, environment: Self.bucketKeys)
        }

        /// Runs `larder serve`, which has to fail at its start, and returns what it says.
        private func refusal(_ arguments: [String]) throws -> String {
            let outcome = try Program.run(
                [Larder.path, "serve", "--listen", "127.0.0.1:0"] + arguments, environment: Self.bucketKeys)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errorOutput)")
            return outcome.errorOutput
        }

        private func write(_ text: String, _ name: String) throws -> String {
            try Data(text.utf8).write(to: URL(filePath: path(name)))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
            return path(name)
        }

        /// Starts a server with a package, of which the first version is released, and a device has it.
        private func shipped(_ options: [String] = [], size: Int = 100_000) throws -> Server {
            let server = try Server(options: options)
            try server.putPackage("news")
            for version in ["1", "2"] {
                let noise = SamplePackage.noise(size, seed: UInt64(version) ?? 0)
                let folder = try SamplePackage.folder("page-\(version)", ["a.bin": noise, "b/c.txt": Data("c".utf8)])
                try server.mustPublish(folder, as: "news", version)
            }
            try server.release("1", of: "news")
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
            return server
        }

        /// The responses that a move must not change, without the server's port.
        private func responses(of server: Server) throws -> [String] {
            let config = try server.get("/config")
            #expect(config.status == 200)
            let paths = [
                "/audit", "/tokens", "/apps/default/keys", "/apps/default/packages/news/versions",
                "/apps/default/packages/news/releases", "/apps/default/packages/news/stats",
            ]
            let texts = try paths.map { path in
                let response = try server.call("GET", path)
                #expect(response.status == 200, "\(path): \(response.text)")
                return response.text
            }
            return ([config.text, config.fields["larder-cursor"] ?? "none"] + texts).map {
                // The time of a token's last use changes with the requests of the test.
                $0.replacingOccurrences(of: ":\(server.port)", with: ":PORT")
                    .replacing(/,"lastUsedAt":"[^"]*"/, with: "")
            }
        }

        @Test func `an installation moves to PostgreSQL with a bucket and back, and devices go on`() throws {
            let bucket = try S3Server()
            let key = ["--key-file", try write(String(repeating: "0123456789abcdef", count: 4), "key")]
            let first = try shipped(key)
            let before = try responses(of: first)
            try first.stop()

            let forth = ["--from", source, "--to", url] + options(bucket)
            try succeed(try move(forth))
            #expect(try refusal(["--data", source] + key).contains("was moved to postgresql://"))
            #expect(try move(forth).status == 0, "a complete move stays complete")

            let place = ["--data", path("postgresql"), "--database", url] + options(bucket)
            let second = try Server(
                data: path("postgresql"), token: first.token, options: Array(place.dropFirst(2)) + key,
                environment: Self.bucketKeys)
            #expect(try responses(of: second) == before)
            // The device knows a cursor of the first server: it gets the event, and no "refresh".
            try second.release("2", of: "news")
            let push = try second.get("/push?cursor=\(before[1])&wait=1")
            #expect(push.text.contains("\"activated\"") && !push.text.contains("refresh"), "\(push.text)")
            #expect(try LarderDevice("device").sync("news", with: second) == "files")
            let created = try second.call("POST", "/tokens", #"{"name": "later", "role": "publisher"}"#)
            #expect(created.status == 201, "\(created.text)")
            let middle = try responses(of: second)
            try second.stop()
            let check = try doctor(place)
            #expect(check.status == 0, "\(check.output)\(check.errorOutput)")

            let target = path("back")
            try succeed(try move(["--from", url, "--to", target] + options(bucket)))
            #expect(try refusal(place + key).contains("was moved to \(target)"))
            let third = try Server(data: target, token: first.token, options: key)
            #expect(try responses(of: third) == middle)
            #expect(try LarderDevice("device").sync("news", with: third) == "unchanged")
            #expect(try LarderDevice("fresh").sync("news", with: third) == "full")
            try third.stop()
            let last = try doctor(["--data", target])
            #expect(last.status == 0, "\(last.output)\(last.errorOutput)")
            cluster.discard(name)
        }

        @Test func `an installation moves to PostgreSQL with its own data directory and back`() throws {
            let first = try shipped()
            let before = try responses(of: first)
            let busy = try move("--from", source, "--to", url, "--data", path("b"))
            #expect(busy.status == 1 && busy.errorOutput.contains("in use"), "\(busy.errorOutput)")
            try first.stop()
            try succeed(try move("--from", source, "--to", url, "--data", path("b"), "--json"))
            let second = try Server(data: path("b"), token: first.token, options: ["--database", url])
            #expect(try responses(of: second) == before)
            let running = try move("--from", url, "--to", path("c"), "--data", path("b"))
            #expect(running.status == 1 && running.errorOutput.contains("in use"), "\(running.errorOutput)")
            try second.stop()
            #expect(try doctor(["--data", path("b"), "--database", url]).status == 0)
            let spool = path("b/reports.spool")
            let reports = try Data(contentsOf: URL(filePath: spool))
            try Data(repeating: 1, count: 100).write(to: URL(filePath: spool))
            let unread = try move("--from", url, "--to", path("c"), "--data", path("b"))
            #expect(unread.status == 1 && unread.errorOutput.contains("cannot be read"), "\(unread.errorOutput)")
            try reports.write(to: URL(filePath: spool))
            try succeed(try move("--from", url, "--to", path("c"), "--data", path("b")))
            let third = try Server(data: path("c"), token: first.token)
            #expect(try responses(of: third) == before)
            try third.stop()
            cluster.discard(name)
        }

        @Test func `a source on SQLite with a bucket moves its rows, and the bucket keeps the objects`() throws {
            let bucket = try S3Server()
            let first = try Server(options: options(bucket), environment: Self.bucketKeys)
            try first.putPackage("news")
            try first.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try first.release("1", of: "news")
            try first.stop()
            let elsewhere = try move("--from", source, "--to", url, "--data", path("b"))
            #expect(elsewhere.status == 1 && elsewhere.errorOutput.contains("Give --blobs"), "\(elsewhere.errorOutput)")
            _ = try bucket.takeCounts()
            try succeed(try move(["--from", source, "--to", url] + options(bucket)))
            #expect(try bucket.takeCounts()["PUT"] == 1, "only the object that checks the rights")
            let second = try Server(
                data: path("b"), token: first.token, options: ["--database", url] + options(bucket),
                environment: Self.bucketKeys)
            #expect(try LarderDevice("device").sync("news", with: second) == "full")
            try second.stop()
            cluster.discard(name)
        }

        @Test func `targets with other data, and wrong arguments, are refused`() throws {
            let first = try shipped(size: 10)
            try first.stop()
            let other = try cluster.makeDatabase()
            let installed = try Server(data: path("other"), options: ["--database", cluster.url(of: other)])
            try installed.stop()
            let filled = try move("--from", source, "--to", cluster.url(of: other), "--data", path("b"))
            #expect(filled.status == 1 && filled.errorOutput.contains("is not empty"), "\(filled.errorOutput)")
            let folder = try move("--from", source, "--to", url, "--data", path("other"))
            #expect(folder.status == 1 && folder.errorOutput.contains("is not empty"), "\(folder.errorOutput)")
            let back = try move("--from", cluster.url(of: other), "--to", source, "--data", path("other"))
            #expect(back.status == 1 && back.errorOutput.contains("is not empty"), "\(back.errorOutput)")
            let absent = try move("--from", path("absent"), "--to", url, "--data", path("b"))
            #expect(absent.status == 1 && absent.errorOutput.contains("no larder.sqlite"), "\(absent.errorOutput)")
            #expect(!FileManager.default.fileExists(atPath: path("absent")))
            for arguments in [
                ["--from", source, "--to", path("b")], ["--from", url, "--to", url],
                ["--from", source, "--to", url], ["--from", source, "--to", url, "--data", source],
                ["--from", source, "--to", "postgresql://larder:p@SECRET@db/larder", "--data", path("b")],
            ] {
                let outcome = try move(arguments)
                #expect(outcome.status == 64, "\(arguments) \(outcome.errorOutput)")
                #expect(!outcome.errorOutput.contains("SECRET"))
            }
            // Nothing was changed: the source still serves.
            try Server(token: first.token).stop()
            cluster.discard(other)
            cluster.discard(name)
        }

        @Test func `a damaged archive is reported, and the source stays until it is repaired`() throws {
            let first = try shipped()
            try first.stop()
            let shards = "\(source)/blobs"
            let blob = try #require(
                try FileManager.default.subpathsOfDirectory(atPath: shards).map { "\(shards)/\($0)" }.first { path in
                    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) == 100_000
                })
            let intact = try Data(contentsOf: URL(filePath: blob))
            try Data(intact.reversed()).write(to: URL(filePath: blob))
            let arguments = ["--from", source, "--to", url, "--data", path("b")]
            let damaged = try move(arguments)
            #expect(damaged.status == 2 && damaged.output.contains("blob-damaged"), "\(damaged.output)")
            #expect(try refusal(["--data", path("b"), "--database", url]).contains("is not complete"))
            try Server(token: first.token).stop()

            try intact.write(to: URL(filePath: blob))
            let repaired = try move(arguments)
            try succeed(repaired)
            #expect(repaired.output.contains("copied: 1 "), "\(repaired.output)")
            cluster.discard(name)
        }

        @Test func `of two moves at once one completes and the other one is refused`() throws {
            let first = try shipped(size: 3_000_000)
            try first.stop()
            let arguments = [Larder.path, "move", "--from", source, "--to", url, "--data", path("b")]
            let moves = [try Program(arguments), try Program(arguments)]
            let endings = try moves.map { try $0.wait() }
            // A later one may also find the move complete.
            #expect(endings.contains(.exited(0)), "\(moves.map(\.errorOutput))")
            for (ending, program) in zip(endings, moves) where ending != .exited(0) {
                #expect(ending == .exited(1) && program.errorOutput.contains("in use"), "\(program.errorOutput)")
            }
            #expect(try doctor(["--data", path("b"), "--database", url]).status == 0)
            cluster.discard(name)
        }

        @Test(.enabled(if: Probe.canMount, "only root can mount a small disk"))
        func `a move back onto a full disk names the folder and can be repeated with more room`() throws {
            let first = try shipped(size: 1_000_000)
            try first.stop()
            try succeed(try move("--from", source, "--to", url, "--data", path("b")))
            let target = path("small")
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            for kilobytes in [1_024, 5_400] {
                let outcome = try Program.run([
                    "unshare", "-m", "sh", "-c",
                    """
                    mount -t tmpfs -o size=\(kilobytes)k larder "$0" || exit 99
                    "$1" move --from "$2" --to "$0" --data "$3"
                    [ $? = 1 ] && [ ! -e "$0/larder.sqlite" ] && [ ! -s "$0/larder.sqlite.moving" ] || exit 98
                    mount -o remount,size=100m "$0"
                    "$1" move --from "$2" --to "$0" --data "$3" && "$1" doctor --data "$0" || exit 97
                    # The next round begins anew, without the mark of the source.
                    psql -q "$2" -c 'DROP TABLE larder_move'
                    """, target, Larder.path, url, path("b"),
                ])
                #expect(outcome.status == 0, "\(kilobytes): \(outcome)")
                #expect(outcome.errorOutput.contains("\(target) is full"), "\(outcome.errorOutput)")
            }
            cluster.discard(name)
        }
    }
}
