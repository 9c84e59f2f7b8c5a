import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests logs that are never read or no longer read.
    @Suite struct StalledLogTests {
        /// Starts a program that logs errors and requests to a pipe.
        private func start(_ pipe: NamedPipe, listeningAt socket: ListeningSocket) throws -> Program {
            try Program(
                ["sh", "-c", #"LISTEN_PID=$$ exec "$0" "$@" 2> "$LOG_PIPE""#, Larder.path, "serve"]
                    + ["--data", Server.defaultData, "--listen", "systemd", "--access-log", "-"]
                    + ["--public-url", "http://127.0.0.1:\(socket.port)"],
                environment: ["LISTEN_FDS": "1", "LOG_PIPE": pipe.path], handing: socket)
        }

        /// Starts a program whose log is full once it serves.
        private func startWithFullLog() throws -> (NamedPipe, ListeningSocket, Program) {
            let pipe = try NamedPipe("log")
            let socket = ListeningSocket()
            let program = try start(pipe, listeningAt: socket)
            _ = try pipe.read(to: "event=server.started")
            pipe.fill()
            return (pipe, socket, program)
        }

        private func ask(_ path: String, at port: UInt16) throws -> Int {
            try RawClient(port: port, patience: 60).get(path, "Connection: close\r\n").status
        }

        @Test func `a standard error without a reader delays neither responses nor the stop`() throws {
            let pipe = try NamedPipe("log")
            pipe.fill()
            let socket = ListeningSocket()
            let program = try start(pipe, listeningAt: socket)
            for _ in 0..<5 { #expect(try ask("/healthz", at: socket.port) == 200) }
            program.send(SIGTERM)
            #expect(try program.wait() == .exited(0))
            #expect(pipe.waiting == pipe.capacity)
        }

        @Test func `lines that waited for a reader are written whole, in both logs`() throws {
            let path = try publishUnreadable()
            let (pipe, socket, program) = try startWithFullLog()
            // Each request has a line in both logs: for the response, and for the fault of its file.
            for _ in 0..<400 { _ = try? ask(path, at: socket.port) }
            program.send(SIGTERM)
            let lines = try pipe.read(to: "event=server.stopped").drop { $0 == "-" }.split(separator: "\n")
            #expect(try program.wait() == .exited(0))
            #expect(lines.allSatisfy { $0.hasPrefix("time=") && $0.ranges(of: " event=").count == 1 })
            #expect(lines.count { $0.contains("event=access ") } == 400)
            #expect(lines.count { $0.contains("event=request.failed ") } == 400)
        }

        @Test func `lines that there was no room for are counted in the log itself`() throws {
            let path = try publishUnreadable()
            let (pipe, socket, program) = try startWithFullLog()
            let connection = try RawClient(port: socket.port, patience: 60)
            let batch = String(repeating: "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n", count: 100)
            func fail(_ batches: Int) throws {
                for _ in 0..<batches {
                    try connection.send(batch)
                    for _ in 0..<100 { #expect(try connection.receive().status == 500) }
                }
            }
            try fail(80)
            // More lines follow before the first ones are written.
            let first = try pipe.read(to: "event=request.failed")
            try fail(80)
            program.send(SIGTERM)
            let lines = try (first + pipe.read(to: "event=server.stopped")).split(separator: "\n")
            #expect(try program.wait() == .exited(0))
            let written = lines.count { $0.contains("event=request.failed ") }
            let drains = lines.count { $0.contains("event=server.draining") }
            let dropped = lines.filter { $0.contains("event=log.dropped ") }
                .compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }.reduce(0, +)
            #expect(dropped > 0)
            #expect(written + drains + dropped == 16_001, "\(written) written, \(drains) drains, \(dropped) dropped")
        }

        /// Publishes a package and corrupts its files behind the server; returns their path.
        private func publishUnreadable() throws -> String {
            let server = try Server()
            try server.putPackage("news")
            let page = try SamplePackage.folder("page", ["big.bin": SamplePackage.noise(1 << 20, seed: 1)])
            try server.mustPublish(page, as: "news", "1")
            try server.release("1", of: "news")
            let url = try #require(try server.config()["news"]?.url)
            try server.stop()
            let blobs = URL(fileURLWithPath: "\(Server.defaultData)/blobs")
            let files = FileManager.default.enumerator(at: blobs, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where !file.hasDirectoryPath {
                unlink(file.path)
                symlink(file.path, file.path)
            }
            return String(url.dropFirst(server.base.count))
        }

        @Test func `a line that broke off is ended, and lost ones are counted`() throws {
            let pipe = try NamedPipe("access")
            let server = try Server(options: ["--access-log", pipe.path])
            // There is room for the beginning of a line.
            pipe.fill(leaving: 4_096)
            #expect(try server.get("/" + String(repeating: "a", count: 6_000)).status == 404)
            try Waiting.until("a part of a line") { pipe.waiting == pipe.capacity }
            pipe.closeReader()
            try Waiting.until("the loss") {
                server.log.contains("event=access-log.failed cause=\"Broken pipe\" lines-lost=1\n")
            }
            pipe.openReader()
            #expect(try server.get("/second").status == 404)
            let lines = try pipe.read(to: "path=/second").split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 3)
            #expect(lines[0].hasSuffix("aaa"))
            #expect(lines[1].hasPrefix("time="))
            try Waiting.until("the end of it") { server.log.contains("event=access-log.resumed lines-lost=1\n") }
        }

        @Test func `a stop does not wait for a reader of the access log, and logs how much is lost`() throws {
            let pipe = try NamedPipe("access")
            let server = try Server(options: ["--access-log", pipe.path])
            pipe.fill()
            for _ in 0..<3 { #expect(try server.get("/healthz").status == 200) }
            #expect(try server.stop() == .exited(0))
            let losses = server.log.split(separator: "\n").filter { $0.contains("event=access-log.failed") }
            #expect(losses.last?.hasSuffix("cause=\"the reader stalled\" lines-lost=3") == true)
        }

        @Test func `no value in the access log controls a terminal or reverses its text`() throws {
            let path = "\(ScratchDirectory.path)/access.log"
            let server = try Server(options: ["--access-log", path])
            for scalar in ["\u{85}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{200F}", "\u{061C}", "\u{2028}"] {
                _ = try server.get("/a\(scalar)b\u{E9}")
            }
            try server.stop()
            let log = try String(contentsOfFile: path, encoding: .utf8)
            for escape in ["0085", "009b", "202e", "2066", "200f", "061c", "2028"] {
                #expect(log.contains("path=\"/a\\u\(escape)b\u{E9}\" "), "\(escape): \(log.debugDescription)")
            }
            #expect(log.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
            #expect(log.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format })
        }
    }
}
