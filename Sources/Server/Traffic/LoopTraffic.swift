import HTTP

/// The counters of one loop, used only on its thread.
final class LoopTraffic {
    var total: Traffic
    /// The lines of this iteration for the access log.
    private var lines: [AccessLine] = []

    init(routes: Int) {
        total = Traffic(routes: routes)
    }

    @inline(__always)
    func note(_ request: borrowing RequestNote, at now: Instant) {
        let index = Int(request.route.index)
        total.routes[index].note(
            status: request.status, bytes: request.bytes,
            nanoseconds: now.nanoseconds - request.started.nanoseconds)
    }

    /// The maximum number of lines that are collected before they are logged.
    private static let linesPerIteration = 1_024

    func add(_ line: AccessLine, to log: (any AccessLog)?) {
        lines.append(line)
        if lines.count >= Self.linesPerIteration { pass(to: log) }
    }

    /// Passes the collected lines to the log.
    @inline(__always)
    func pass(to log: (any AccessLog)?) {
        guard let log, !lines.isEmpty else { return }
        total.droppedLines += UInt64(log.take(lines))
        lines.removeAll(keepingCapacity: true)
    }
}
