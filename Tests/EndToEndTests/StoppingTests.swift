import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests that SIGTERM and SIGINT let requests in progress finish.
    @Suite struct StoppingTests {
        @Test(arguments: [SIGTERM, SIGINT])
        func `a stop answers waiting requests, finishes responses, and accepts no connections`(_ signal: Int32) throws {
            let server = try Server()
            try server.putPackage("news")
            let page = try SamplePackage.folder("page", ["big.bin": SamplePackage.noise(12 << 20, seed: 1)])
            try server.mustPublish(page, as: "news", "1")
            try server.release("1", of: "news")
            let entry = try #require(try server.config()["news"])

            let waiting = try server.connect()
            let cursor = try #require(try server.get("/push").fields["larder-cursor"])
            try waiting.sendHead("GET", "/push?cursor=\(cursor)&wait=55")
            let path = try #require(entry.url).dropFirst(server.base.count)
            let download = try server.connect(receiveBuffer: 64 << 10)
            try download.sendHead("GET", String(path))
            let head = try download.receiveHead()
            #expect(head.status == 200)

            server.program.send(signal)
            let poll = try waiting.receive()
            #expect(poll.status == 204)
            #expect(poll.fields["larder-cursor"] == cursor)
            try Waiting.until("new connections to be refused") {
                do {
                    _ = try server.connect()
                    return false
                } catch RawClient.Failure.cannotConnect(let code) {
                    return code == ECONNREFUSED
                }
            }
            #expect(server.program.poll() == nil)

            let length = try #require(head.fields["content-length"].flatMap { Int($0) })
            #expect(length == entry.size)
            let archive = "\(ScratchDirectory.path)/download.zip"
            try Data(try download.take(length)).write(to: URL(fileURLWithPath: archive))
            let digest = try Program.succeed(["sha256sum", archive]).prefix(64)
            #expect(String(digest) == entry.sha256)
            // Before the deadline would end it.
            #expect(try server.program.wait(upTo: .seconds(20)) == .exited(0))

            let next = try Server()
            #expect(try next.config()["news"]?.sha256 == entry.sha256)
        }

        @Test func `an upload under way is finished, too`() throws {
            let server = try Server()
            try server.putPackage("news")
            let zip = try SamplePackage.zip(
                try SamplePackage.folder("page", ["a.js": SamplePackage.noise(1 << 20, seed: 2)]))
            let upload = try Upload(zip, as: "news", "1", to: server)
            try upload.send(upTo: zip.count / 2)
            try Waiting.until("the upload to have begun") { try !Blobs.staged(in: Server.defaultData).isEmpty }
            server.program.send(SIGTERM)
            try Waiting.until("the server to have heard") { server.log.contains("event=server.draining") }
            try upload.send(upTo: zip.count)
            #expect(try upload.response().status == 201)
            #expect(try server.program.wait() == .exited(0))
            #expect(try Server().versions(of: "news") == ["1"])
        }

        @Test func `a second signal ends the requests that the first one let finish`() throws {
            let server = try Server(options: ["--drain-seconds", "3600"])
            try server.putPackage("news")
            let upload = try Upload([UInt8](repeating: 0, count: 1000), as: "news", "1", to: server)
            try upload.send(upTo: 500)
            try Waiting.until("the upload to have begun") { try !Blobs.staged(in: Server.defaultData).isEmpty }
            server.program.send(SIGTERM)
            try Waiting.until("the server to have heard") { server.log.contains("event=server.draining") }
            #expect(try server.stop(SIGINT) == .exited(0))
            #expect(server.log.contains("event=server.cut-off"))
        }

        @Test func `a client that never finishes is cut off at the end of the drain time`() throws {
            let server = try Server(options: ["--drain-seconds", "1"])
            try server.putPackage("news")
            let upload = try Upload([UInt8](repeating: 0, count: 1000), as: "news", "1", to: server)
            try upload.send(upTo: 500)
            try Waiting.until("the upload to have begun") { try !Blobs.staged(in: Server.defaultData).isEmpty }
            #expect(try server.stop() == .exited(0))
            #expect(server.log.contains("cut off"))
            let next = try Server()
            #expect(try next.versions(of: "news") == [])
            #expect(try Blobs.staged(in: Server.defaultData) == [])
        }
    }
}
