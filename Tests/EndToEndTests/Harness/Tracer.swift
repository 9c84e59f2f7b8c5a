import Foundation

/// strace, which ends a server in the middle of its work.
enum Tracer {
    /// Has a server killed as one of its threads begins such a call for the so-many-th time.
    ///
    /// Returns once strace is attached; it ends with the server.
    static func crash(_ server: Server, at calls: String, number: Int) throws -> Program {
        let tracer = try Program([
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
            "inject=\(calls):signal=SIGKILL:when=\(number)", "-p", "\(server.program.pid)",
        ])
        try Waiting.until("strace to attach") { Probe.isTraced(server.program.pid) }
        return tracer
    }
}
