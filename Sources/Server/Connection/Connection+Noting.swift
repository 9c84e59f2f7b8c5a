import Glibc
import HTTP

extension Connection {
    /// Begins to take note of a request.
    @inline(__always)
    func beginNote(_ head: borrowing RequestHead, _ decision: borrowing Decision) {
        note.started = loop.now
        note.route = decision.route
        note.status = 0
        note.bytes = 0
        let id = head.requestID
        if !note.id.isEmpty || !id.isEmpty { note.id = Array(id) }
        guard loop.settings.accessLog != nil else { return }
        note.details = RequestNote.Details(method: head.method.token, path: head.path, client: head.client)
        if note.id.isEmpty { note.id = loop.makeRequestID() }
    }

    /// The line that gives the request's id back; empty where there is none.
    var identification: [UInt8] {
        note.id.isEmpty ? [] : Array("X-Request-Id: ".utf8) + note.id + Array("\r\n".utf8)
    }

    /// The answer is complete: it is noted now if the kernel has it but for the loop's output, or once it has.
    @inline(__always)
    func endNote() {
        if let exchange, !exchange.outbox.isEmpty {
            exchange.unsent = note
            note.details = nil
            if !note.id.isEmpty { note.id = [] }
        } else {
            conclude(note, isWhole: true)
            // An idle connection remembers nothing of its last request.
            note.details = nil
            if !note.id.isEmpty { note.id = [] }
        }
    }

    /// The kernel has the answer that was complete before.
    func concludeUnsent() {
        guard let unsent = exchange?.unsent.take() else { return }
        conclude(unsent, isWhole: true)
    }

    /// The connection breaks: what was under way did not get through.
    func concludeBroken() {
        if var unsent = exchange?.unsent.take() {
            // What went before it may wait as well: then none of it went out.
            unsent.bytes = max(unsent.bytes - (exchange?.outbox.byteCount ?? 0), 0)
            conclude(unsent, isWhole: false)
        } else if phase == .handling || phase == .waiting {
            conclude(note, isWhole: false)
        }
    }

    @inline(__always)
    private func conclude(_ note: borrowing RequestNote, isWhole: Bool) {
        let now = Instant.now
        loop.traffic.note(note, at: now)
        if loop.settings.accessLog != nil { log(copy note, at: now, isWhole: isWhole) }
    }

    private func log(_ note: RequestNote, at now: Instant, isWhole: Bool) {
        let elapsed = now.nanoseconds - note.started.nanoseconds
        let routes = loop.application.routes
        loop.traffic.add(
            AccessLine(
                time: loop.wallClock - elapsed, method: note.details?.method ?? "-",
                path: note.details?.path ?? "-", route: routes[Int(note.route.index)], status: note.status,
                bytes: note.bytes, nanoseconds: elapsed, id: String(decoding: note.id, as: UTF8.self),
                client: note.details?.client ?? peer, isWhole: isWhole),
            to: loop.settings.accessLog)
    }
}
