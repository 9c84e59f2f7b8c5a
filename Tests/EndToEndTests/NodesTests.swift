import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests several servers of one installation: one database of PostgreSQL, one bucket, a data directory each.
    @Suite struct NodesTests {
        private let cluster: PostgresCluster
        private let name: String
        private let bucket: S3Server

        init() throws {
            cluster = try PostgresCluster.shared.get()
            name = try cluster.makeDatabase()
            bucket = try S3Server()
        }

        private var options: [String] {
            [
                "--database", cluster.url(of: name), "--blobs", "s3://\(S3Server.bucket)/live", "--s3-endpoint",
                bucket.endpoint, "--s3-path-style", "on",
            ]
        }

        private func serve(_ node: String, token: String? = nil) throws -> Server {
            try Server(
                data: "\(ScratchDirectory.path)/\(node)", token: token, options: options,
                environment: [
                    "AWS_ACCESS_KEY_ID": S3Server.accessKey, "AWS_SECRET_ACCESS_KEY": S3Server.secretKey,
                ])
        }

        /// Returns what a server offers, with URLs that are relative to it.
        private func offer(of server: Server) throws -> String {
            try server.get("/config").text.replacingOccurrences(of: server.base, with: "")
        }

        private func cursor(of server: Server) throws -> String? { try server.get("/push").fields["larder-cursor"] }

        /// Returns the connection of a device that waits for a change.
        private func startWaiting(at server: Server) throws -> RawClient {
            let cursor = try #require(try cursor(of: server))
            let connection = try server.connect()
            try connection.sendHead("GET", "/push?wait=50&cursor=\(cursor)")
            return connection
        }

        @Test func `two servers serve what either publishes, and one goes on when the other is killed`() throws {
            let one = try serve("one")
            let two = try serve("two", token: one.token)
            try one.putPackage("news")
            try one.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try Waiting.until("the package") { try cursor(of: one) == cursor(of: two) }
            let waiting = [try startWaiting(at: one), try startWaiting(at: two)]
            try two.release("1", of: "news")
            for connection in waiting { #expect(try connection.receive().text.contains("\"activated\"")) }
            let offers = [try offer(of: one), try offer(of: two)]
            #expect(offers[0].contains("\"version\":\"1\""))
            #expect(offers[0] == offers[1])
            #expect(try LarderDevice("first").sync("news", with: two) == "full")
            // What every node does once has one holder.
            try Waiting.until("the lease") { (one.log + two.log).contains("event=lease.taken") }

            try one.crash()
            try two.mustPublish(try SamplePackage.folder("other"), as: "news", "2")
            try two.release("2", of: "news")
            try Waiting.until("the lease of the other one") { two.log.contains("event=lease.taken") }
            let back = try serve("one", token: one.token)
            try Waiting.until("the same offer") { try offer(of: back) == offer(of: two) }
            #expect(try LarderDevice("second").sync("news", with: back) == "full")
            #expect(try back.stop() == .exited(0))
            #expect(try two.stop() == .exited(0))
            cluster.discard(name)
        }

        @Test func `a server that is stopped for a while loses the lease, and catches up when it continues`() throws {
            let one = try serve("one")
            try one.putPackage("news")
            try one.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try Waiting.until("the lease") { one.log.contains("event=lease.taken") }
            let two = try serve("two", token: one.token)

            one.program.send(SIGSTOP)
            // The stopped node may be in a transaction, for which the other one waits.
            try Waiting.until("the release") {
                let made = try two.call("POST", "/apps/default/packages/news/releases", #"{"version": "1"}"#)
                return made.status == 201 || made.text.contains("release-exists")
            }
            try Waiting.until("the lease of the other one") { two.log.contains("event=lease.taken") }
            one.program.send(SIGCONT)
            try Waiting.until("the loss of the lease") { one.log.contains("event=lease.lost") }
            try Waiting.until("the release") { try offer(of: one) == offer(of: two) }
            #expect(try offer(of: one).contains("\"version\":\"1\""))
            try one.mustPublish(try SamplePackage.folder("other"), as: "news", "2")
            try one.release("2", of: "news")
            try Waiting.until("the next release") { try offer(of: one) == offer(of: two) }
            try one.stop()
            try two.stop()
            cluster.discard(name)
        }

        @Test func `an upload in parts continues on the server that has its parts, and the other says so`() throws {
            let one = try serve("one")
            let two = try serve("two", token: one.token)
            try one.putPackage("news")
            let upload = try one.makeUpload(10)
            let refused = try two.sendPart(upload, at: 0, [1, 2])
            #expect(refused.status == 404 && refused.text.contains("another server of this installation"))
            #expect(try one.sendPart(upload, at: 0, [1, 2]).status == 204)
            try one.stop()
            try two.stop()
            cluster.discard(name)
        }

        @Test func `a server without a bucket is refused while servers with one run`() throws {
            let one = try serve("one")
            let refused = try Larder.run(
                "serve", "--listen", "127.0.0.1:0", "--data", "\(ScratchDirectory.path)/local", "--database",
                cluster.url(of: name))
            #expect(refused.status == 1 && refused.errorOutput.contains("in use by another larder"))
            try one.stop()
            cluster.discard(name)
        }
    }
}
