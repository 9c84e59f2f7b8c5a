import Glibc
import HTTP

extension Connection {
    /// Begins the record of a request.
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

    /// The header line that returns the request's id; empty without one.
    var identification: [UInt8] {
        note.id.isEmpty ? [] : Array("X-Request-Id: ".utf8) + note.id + Array("\r\n".utf8)
    }

    /// Ends the record of a complete response: at once if only the loop's output holds some of it, else once the kernel
    /// has it.
    @inline(__always)
    func endNote() {
        if let exchange, !exchange.outbox.isEmpty {
            exchange.unsent = note
            note.details = nil
            if !note.id.isEmpty { note.id = [] }
        } else {
            conclude(note, isWhole: true)
            // An idle connection keeps no data of its last request.
            note.details = nil
            if !note.id.isEmpty { note.id = [] }
        }
    }

    /// Concludes the record of a complete response that the kernel has taken.
    func concludeUnsent() {
        guard let unsent = exchange?.unsent.take() else { return }
        conclude(unsent, isWhole: true)
    }

    /// Concludes the records of the responses that the breaking connection cuts off.
    func concludeBroken() {
        if var unsent = exchange?.unsent.take() {
            // An earlier response may be pending as well: then none of this one was sent.
            unsent.bytes = max(unsent.bytes - (exchange?.outbox.byteCount ?? 0), 0)
            conclude(unsent, isWhole: false)
        } else if state.owesResponse {
            // A client ends an event stream whenever it likes.
            conclude(note, isWhole: state.isFeeding && !state.isBlocked)
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
        let route = loop.application.routes[Int(note.route.index)]
        loop.traffic.add(
            AccessLine(
                time: loop.wallClock - elapsed, method: note.details?.method ?? "-",
                path: note.details.map { AccessLine.path($0.path, of: route) } ?? "-", route: route,
                status: note.status,
                bytes: note.bytes, nanoseconds: elapsed, id: String(decoding: note.id, as: UTF8.self),
                client: note.details?.client ?? peer, isWhole: isWhole),
            to: loop.settings.accessLog)
    }
}
