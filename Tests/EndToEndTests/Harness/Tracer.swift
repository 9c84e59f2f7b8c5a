import Foundation

/// An strace that kills a server in the middle of its work.
enum Tracer {
    /// Returns the numbers of the calls at which a test kills a program, `step` calls apart.
    ///
    /// Without `LARDER_ALL_CRASHES`, which `make soak` sets, the first three are followed by one in four only, since
    /// `make test` has to be short (decision 0061).
    static func crashes(every step: Int, below limit: Int) -> [Int] {
        let all = Array(stride(from: 1, to: limit, by: step))
        guard ProcessInfo.processInfo.environment["LARDER_ALL_CRASHES"] == nil else { return all }
        return all.enumerated().filter { $0.offset < 3 || $0.offset % 4 == 2 }.map(\.element)
    }

    /// Kills a server when one of its threads begins such a call for the n-th time.
    ///
    /// Returns once strace is attached; it ends with the server.
    static func crash(_ server: Server, at calls: String, number: Int) throws -> Program {
        let tracer = try Program([
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
            "inject=\(calls):signal=SIGKILL:when=\(number)", "-p", "\(server.program.pid)",
        ])
        try awaitAttachment(of: tracer, to: server.program)
        return tracer
    }

    /// Waits until strace traces every thread of a program, or has killed it; throws if either ends in another way.
    private static func awaitAttachment(of tracer: Program, to program: Program) throws {
        try Waiting.until("strace to attach") {
            if Probe.isTraced(program.pid) { return true }
            // A background task of the server may have made the call as soon as strace was attached.
            if program.poll() == .killed(by: SIGKILL) { return true }
            for (name, ending) in [("strace", tracer.poll()), ("the program", program.poll())] {
                guard let ending else { continue }
                // The call may have been made since the look above; strace ends with the program.
                if program.poll() == .killed(by: SIGKILL) { return true }
                throw Program.Failure(
                    description: "\(name) ended before strace was attached: \(ending). \(seen(tracer, program))")
            }
            return false
        } more: {
            seen(tracer, program)
        }
    }

    /// Returns the output of strace, the untraced threads, and the load of the machine.
    private static func seen(_ tracer: Program, _ program: Program) -> String {
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? "unknown\n"
        return "strace wrote: '\(tracer.errorOutput)'. Untraced threads: \(Probe.untracedThreads(of: program.pid)). "
            + "Load: \(load)"
    }
}
