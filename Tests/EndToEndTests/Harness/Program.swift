import Foundation
import Ground
import Synchronization
import TestKit

/// A running program; it and its children end with this object at the latest.
final class Program: Sendable {
    enum Ending: Equatable {
        case exited(Int32)
        case killed(by: Int32)
    }

    struct CannotStart: Error {
        let program: String
        let code: Int32
    }

    let pid: pid_t
    private let outputPath: String
    private let errorPath: String
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program from the `PATH` with the given environment only.
    ///
    /// - Parameters:
    ///   - environment: Variables beside `PATH`, `HOME`, `TMPDIR`, `TSAN_OPTIONS`, `LD_PRELOAD` and a UTF-8 locale.
    ///   - folder: The folder of its output files, profiles and unfinished uploads.
    ///   - socket: The socket that becomes its descriptor 3 and remains the test's.
    init(
        _ arguments: [String], environment: [String: String] = [:], outputIn folder: String = ScratchDirectory.path,
        handing socket: ListeningSocket? = nil
    ) throws {
        let name = "\(folder)/\(UUID().uuidString)"
        outputPath = name + ".out"
        errorPath = name + ".err"

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let socket { posix_spawn_file_actions_adddup2(&actions, socket.number, 3) }
        // Sockets of other tests in this process would otherwise stay open there; closing an unused number is no error.
        for number in Int32(socket == nil ? 3 : 4)..<1024 { posix_spawn_file_actions_addclose(&actions, number) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        let own = ProcessInfo.processInfo.environment
        // Profiles and unfinished uploads of whoever runs the tests must not matter.
        var values = [
            "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": "\(folder)/config", "XDG_STATE_HOME": "\(folder)/state",
        ]
        // scripts/check-threads sets the last two for the tests and for the programs that they start.
        for name in ["PATH", "HOME", "TMPDIR", "TSAN_OPTIONS", "LD_PRELOAD"] { values[name] = own[name] }
        values.merge(environment) { _, new in new }
        if let inherited = own["LD_PRELOAD"], let added = environment["LD_PRELOAD"] {
            values["LD_PRELOAD"] = "\(inherited):\(added)"
        }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = values.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw CannotStart(program: arguments[0], code: code) }
        self.pid = pid
    }

    deinit {
        guard ending.withLock({ $0 }) == nil else { return }
        // The whole group, so that a wrapper's children end as well.
        Foundation.kill(-pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    var output: String { Self.text(outputPath) }
    var errorOutput: String { Self.text(errorPath) }

    /// Returns how the program ended, or `nil` while it runs.
    func poll() -> Ending? {
        ending.withLock { ending in
            if let ending { return ending }
            var ended = siginfo_t()
            guard waitid(P_PID, id_t(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0, ended.si_signo == SIGCHLD else {
                return nil
            }
            // Before the process is reaped: afterwards, another test's process may get its id.
            Foundation.kill(-pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            let signal = status & 0x7F
            ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
            return ending
        }
    }

    func wait(upTo limit: Duration = Waiting.patience) throws -> Ending {
        try Waiting.forValue("the end of process \(pid)", upTo: limit, poll) { self.errorOutput }
    }

    /// Sends a signal, unless the program has ended.
    func send(_ signal: Int32) {
        guard poll() == nil else { return }
        Foundation.kill(pid, signal)
    }

    private static func text(_ path: String) -> String {
        String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data(), as: UTF8.self)
    }
}

extension Program {
    struct Outcome {
        let status: Int32
        let output: String
        let errorOutput: String
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], upTo limit: Duration = Waiting.patience
    ) throws -> Outcome {
        let program = try Program(arguments, environment: environment)
        guard case .exited(let status) = try program.wait(upTo: limit) else {
            throw Failure(description: "\(arguments) was killed. \(program.errorOutput)")
        }
        return Outcome(status: status, output: program.output, errorOutput: program.errorOutput)
    }

    /// Runs a program that has to succeed, and returns its output.
    @discardableResult
    static func succeed(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let outcome = try run(arguments, environment: environment)
        guard outcome.status == 0 else {
            throw Failure(
                description: "\(arguments) ended with \(outcome.status). \(outcome.output)\(outcome.errorOutput)")
        }
        return outcome.output
    }

    static func isInstalled(_ name: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
}
