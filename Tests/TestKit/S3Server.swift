import Foundation
import Synchronization

/// A real S3-compatible server: OpenStack Swift, with its objects in memory.
///
/// It ends with this object. scripts/bootstrap installs it.
package final class S3Server: Sendable {
    package static let accessKey = "test:tester"
    package static let secretKey = "testing"
    /// A key without any right to the bucket.
    package static let strangerKey = "test:reader"
    package static let strangerSecret = "reading"
    package static let bucket = "larder"

    package struct CannotStart: Error {
        let output: String
    }

    package let port: UInt16
    private let pid: pid_t
    /// The end of the pipe that has the server's output; its lock lets one order at a time wait for its line.
    private let output: Mutex<Int32>

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Starts the server with an empty bucket.
    ///
    /// - Parameters:
    ///   - folder: A folder for its files.
    ///   - clockOffset: The seconds by which its clock is ahead.
    package init(in folder: String = ScratchDirectory.path, clockOffset: Int = 0) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let modules = tests.deletingLastPathComponent().appendingPathComponent(".build/python").path
        try FileManager.default.createDirectory(atPath: "\(folder)/s3", withIntermediateDirectories: true)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CannotStart(output: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // Sockets of other tests in this process would otherwise stay open there.
        for number in Int32(3)..<1024 { posix_spawn_file_actions_addclose(&actions, number) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of tests block the signals by which the server gets its orders.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let script = tests.appendingPathComponent("EndToEnd/s3_server.py").path
        let values = ProcessInfo.processInfo.environment.merging(["PYTHONPATH": modules]) { $1 }
        let arguments = [
            "python3", "-W", "ignore", script, "\(folder)/s3", Self.bucket, String(getpid()), String(clockOffset),
        ]
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = values.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, "python3", &actions, &attributes, &argv, &envp)
        close(ends[1])
        let line = code == 0 ? Self.line(from: ends[0]) : "error \(code)"
        guard let port = UInt16(line) else {
            if code == 0 {
                kill(pid, SIGKILL)
                var status: Int32 = 0
                waitpid(pid, &status, 0)
            }
            close(ends[0])
            throw CannotStart(output: line)
        }
        self.port = port
        self.pid = pid
        output = Mutex(ends[0])
    }

    deinit {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        output.withLock { _ = close($0) }
    }

    /// Closes the port and all connections.
    package func goDown() throws { try order(SIGUSR1) }

    /// Opens the port again.
    package func comeBack() throws { try order(SIGUSR2) }

    /// Returns the number of requests by method since the last call.
    package func takeCounts() throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Data(try order(SIGHUP).utf8))
    }

    @discardableResult
    private func order(_ signal: Int32) throws -> String {
        output.withLock { output in
            kill(pid, signal)
            return Self.line(from: output)
        }
    }

    /// The time limit of a line in milliseconds: the start of the server takes seconds on a busy machine.
    private static let patience: Int32 = 120_000

    /// Reads a line; ends early with the pipe, or if nothing arrives in time.
    private static func line(from output: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, patience) == 1, read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
