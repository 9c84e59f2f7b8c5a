import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the addresses on which the program listens.
    @Suite struct ListeningTests {
        @Test func `a unix socket is served beside a port, and goes with the server`() throws {
            let path = "\(ScratchDirectory.path)/larder.sock"
            let server = try Server(listen: "127.0.0.1:0,unix:\(path)")
            #expect(try RawClient(unixPath: path).get("/healthz").status == 200)
            #expect(try server.get("/healthz").status == 200)
            #expect(server.log.contains("address=http://unix:\(path)"))
            try server.stop()
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test func `a unix socket left by a crash is replaced at the next start`() throws {
            let endpoints = "127.0.0.1:0,unix:\(ScratchDirectory.path)/larder.sock"
            try Server(listen: endpoints).crash()
            #expect(throws: Never.self) { try Server(listen: endpoints) }
        }

        @Test(arguments: ["unix:/tmp/larder.sock", "systemd", "unix:/tmp/larder.sock,systemd:web"])
        func `a server without a TCP address requires the public URL`(_ endpoints: String) throws {
            let data = "\(ScratchDirectory.path)/data"
            let outcome = try Larder.run("serve", "--listen", endpoints, "--data", data)
            #expect(outcome.status == 64)
            #expect(outcome.errorOutput.contains("set --public-url"))
            #expect(!FileManager.default.fileExists(atPath: data))
        }

        @Test func `sockets that were not handed over are an error`() throws {
            let outcome = try Larder.run(
                "serve", "--listen", "systemd", "--public-url", "http://h", "--data", "\(ScratchDirectory.path)/data")
            #expect(outcome.status == 1)
            #expect(outcome.errorOutput.contains("passed-on sockets: there is no unused socket"))
        }
    }
}
