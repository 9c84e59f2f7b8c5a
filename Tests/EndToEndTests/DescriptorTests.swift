import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd.Alone {
    /// Tests more connections than the process may have descriptors.
    @Suite struct DescriptorTests {
        @Test func `without descriptors the server pauses, serves its connections, and continues when there are some`()
            throws
        {
            let server = try Server()
            let early = try server.connect()
            try early.sendHead("GET", "/config")
            #expect(try early.receive().status == 200)
            // The limit is lowered after the start.
            try Self.limitDescriptors(of: server, to: Self.openDescriptors(of: server) + 4)
            var crowd = try (0..<16).map { _ in try server.connect() }
            try Waiting.until("the server to run out") { failures(in: server.log) > 0 }

            let start = ContinuousClock.now
            let (before, said) = (try Self.processorTime(of: server), failures(in: server.log))
            try Waiting.until("some more pauses") { failures(in: server.log) >= said + 4 }
            let (elapsed, used) = (ContinuousClock.now - start, try Self.processorTime(of: server) - before)
            // Four pauses of a quarter of a second.
            #expect(elapsed > .milliseconds(700))
            #expect(used < elapsed / 4)
            try early.sendHead("GET", "/config")
            #expect(try early.receive().status == 200)

            crowd.removeAll()
            #expect(try server.get("/config").status == 200)
        }

        private func failures(in log: String) -> Int {
            log.split(separator: "\n").count { $0.contains("cannot accept connections: Too many open files") }
        }

        private static func openDescriptors(of server: Server) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.program.pid)/fd").count
        }

        private static func limitDescriptors(of server: Server, to count: Int) throws {
            try Program.succeed(["prlimit", "--pid=\(server.program.pid)", "--nofile=\(count):\(count)"])
        }

        /// Returns the user and system time of all its threads.
        private static func processorTime(of server: Server) throws -> Duration {
            let text = try String(contentsOfFile: "/proc/\(server.program.pid)/stat", encoding: .utf8)
            // The fields after the name in parentheses, 14 and 15 of all.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            let ticks = try fields[12...13].map { try #require(Int($0)) }.reduce(0, +)
            return .milliseconds(ticks * 1_000 / sysconf(Int32(_SC_CLK_TCK)))
        }
    }
}
