import CLinux
import Glibc

/// One run of another program without a shell: bytes in, bytes out, within a time limit.
///
/// The program gets only the given environment, the input as its standard input, `/dev/null` as its standard error, no
/// other descriptor, and a process group of its own. A failed run kills the program and its group, and so also the
/// processes that it started, unless they left the group. A successful run kills nothing.
package struct ProgramRun: Sendable {
    /// The program's path and its arguments.
    let command: [String]
    let environment: [String: String]
    let timeLimit: Duration
    /// The maximum number of bytes that the program may write.
    let outputLimit: Int

    /// The reason why there is no output.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case cannotStart(String)
        case tookTooLong
        case wroteTooMuch
        case exited(Int32)
        case killed(by: Int32)
        /// The exit status is unknown, for example because the process ignores `SIGCHLD`.
        case lost(String)

        package var description: String {
            switch self {
            case .cannotStart(let why): "it cannot be started: \(why)"
            case .tookTooLong: "it took too long"
            case .wroteTooMuch: "its output exceeded the limit"
            case .exited(let status): "it ended with status \(status)"
            case .killed(let signal): "it was killed by signal \(signal)"
            case .lost(let why): "its exit status is unknown: \(why)"
            }
        }
    }

    /// The bytes that a pipe takes without a reader, whatever the system's limits are.
    package static let inputLimit = 4096

    package init(command: [String], environment: [String: String], timeLimit: Duration, outputLimit: Int) {
        self.command = command
        self.environment = environment
        self.timeLimit = timeLimit
        self.outputLimit = outputLimit
    }

    /// Runs the program to its end and returns its output; blocks the thread.
    ///
    /// - Parameter input: At most ``inputLimit`` bytes.
    package func output(for input: [UInt8]) throws(Failure) -> [UInt8] {
        precondition(input.count <= Self.inputLimit, "a program is given no more than a pipe takes")
        let deadline = ContinuousClock.now + timeLimit
        // Writes the input before the program starts: the pipe holds all of it, and the reader cannot have exited yet.
        var given = try Pipe()
        guard write(given.writing, input, input.count) == input.count else {
            throw .cannotStart("its input cannot be written")
        }
        given.closeWriting()
        var written = try Pipe()
        let pid = try start(input: given.reading, output: written.writing)
        written.closeWriting()
        let bytes: [UInt8]
        do throws(Failure) {
            bytes = try read(written.reading, until: deadline)
            try wait(for: pid, until: deadline)
        } catch {
            // A lost process may be reaped already, and its id reused.
            if case .lost = error { throw error }
            // The process itself may have left its group.
            kill(pid, SIGKILL)
            kill(-pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw error
        }
        waitpid(pid, nil, 0)
        return bytes
    }

    private func start(input: Int32, output: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        clinux_close_from(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, command.first ?? "", &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw .cannotStart(String(cString: strerror(code))) }
        return pid
    }

    private func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .tookTooLong }
            guard poll(&watched, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else { continue }
            bytes += buffer.prefix(count)
            guard bytes.count <= outputLimit else { throw .wroteTooMuch }
        }
    }

    /// Waits until a process that has closed its output exits with status 0; leaves the reaping to the caller.
    private func wait(for pid: pid_t, until deadline: ContinuousClock.Instant) throws(Failure) {
        while true {
            var status = siginfo_t()
            guard waitid(P_PID, id_t(pid), &status, WEXITED | WNOHANG | WNOWAIT) == 0 else {
                if errno == EINTR { continue }
                throw .lost(String(cString: strerror(errno)))
            }
            if status.si_signo == SIGCHLD {
                let value = status._sifields._sigchld.si_status
                guard status.si_code == CLD_EXITED else { throw .killed(by: value) }
                guard value == 0 else { throw .exited(value) }
                return
            }
            guard ContinuousClock.now < deadline else { throw .tookTooLong }
            usleep(1000)
        }
    }
}

/// A pipe whose ends are closed on exec and with their owner.
private struct Pipe: ~Copyable {
    let reading: Int32
    private(set) var writing: Int32

    init() throws(ProgramRun.Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .cannotStart(String(cString: strerror(errno))) }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Closes the writing end, so that the reader sees the end of the input.
    mutating func closeWriting() {
        close(writing)
        writing = -1
    }

    deinit {
        close(reading)
        if writing >= 0 { close(writing) }
    }
}
