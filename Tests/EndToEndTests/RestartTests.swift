import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests successive processes on the same sockets and the same data.
    @Suite struct RestartTests {
        private let options = ["--takeover-seconds", "60"]

        @Test func `a socket that is handed on refuses and breaks no connection while the server is exchanged`() throws
        {
            let socket = ListeningSocket()
            var server = try Server(options: options, handing: socket)
            #expect(server.port == socket.port)
            try server.putPackage("news")
            try server.mustPublish(SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news")
            let config = try server.get("/config")
            try #require(config.status == 200)

            let crowd = Crowd(of: 8, asking: "/config", at: socket.port, expecting: config.body)
            for _ in 1...3 {
                try crowd.await(more: 200)
                server.program.send(SIGTERM)
                // Immediately, so that it finds the data directory in use.
                let next = try Server(token: server.token, options: options, handing: socket)
                #expect(try server.program.wait() == .exited(0))
                server = next
            }
            try crowd.await(more: 200)
            #expect(try crowd.stop() == [])
        }

        @Test func `a start that waits for the data directory says so, and can be stopped`() throws {
            let server = try Server()
            let next = try Program(
                [Larder.path, "serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData] + options)
            try Waiting.until("the second to wait") { next.errorOutput.contains("event=data.awaited") }
            #expect(next.errorOutput.contains("process \(server.program.pid),"))
            next.send(SIGTERM)
            #expect(try next.wait() == .exited(0))
            #expect(try server.get("/healthz").status == 200)
        }

        @Test func `a start waits no longer than configured`() throws {
            let server = try Server()
            let next = try Larder.run(
                "serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData, "--takeover-seconds", "2")
            #expect(next.status == 1)
            #expect(next.errorOutput.contains("in use by process \(server.program.pid),"))
        }
    }
}
