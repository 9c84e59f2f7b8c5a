import HTTP

/// The figures of one loop, on its thread alone.
final class LoopTraffic {
    var total: Traffic
    /// Lines of this turn for the access log.
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

    /// Lines of one turn that wait for its end.
    private static let linesPerTurn = 1_024

    func add(_ line: AccessLine, to log: (any AccessLog)?) {
        lines.append(line)
        if lines.count >= Self.linesPerTurn { pass(to: log) }
    }

    /// Hands the lines of this turn to the log.
    @inline(__always)
    func pass(to log: (any AccessLog)?) {
        guard let log, !lines.isEmpty else { return }
        total.droppedLines += UInt64(log.take(lines))
        lines.removeAll(keepingCapacity: true)
    }
}
