import Files
import HTTP

/// Speaks HTTP/1.1, one connection for each exchange.
///
/// Every call blocks its thread, for no longer than the timeouts add up to. Redirections are not followed.
package struct HTTPClient: Sendable {
    /// Bytes of a body that is kept in memory, unless the caller says otherwise.
    package static let bodyLimit = 16 << 20

    package let timeouts: TransportTimeouts
    private let userAgent: String
    private let trust: LazyTrust

    /// - Parameters:
    ///   - userAgent: What every request says it comes from.
    ///   - authorities: A file of certificates in PEM that are trusted for `https://`; `nil` for those of the system.
    package init(
        timeouts: TransportTimeouts = TransportTimeouts(), userAgent: String = "larder", authorities: String? = nil
    ) {
        self.timeouts = timeouts
        self.userAgent = userAgent
        trust = LazyTrust(authorities: authorities)
    }

    /// Sends a request and takes the whole answer.
    ///
    /// Throws `answerTooLarge` past `bodyLimit`.
    ///
    /// - Parameter progress: Told how many bytes of the request's body are sent, of how many.
    package func send(
        _ request: ClientRequest, bodyLimit: Int = bodyLimit, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(TransportError) -> ClientResponse {
        var body: [UInt8] = []
        let head = try exchange(request, progress: progress) { _, piece throws(TransportError) in
            guard body.count + piece.count <= bodyLimit else { throw .answerTooLarge(limit: bodyLimit) }
            body += piece
        }
        return ClientResponse(head: head, body: body)
    }

    /// Sends a request and hands the body of the answer over as it comes.
    ///
    /// - Parameters:
    ///   - progress: Told how many bytes of the request's body are sent, of how many.
    ///   - onHead: Told the head, before any of the body.
    ///   - onBody: Given each piece of the body; the pointer is good during the call alone.
    package func exchange(
        _ request: ClientRequest, progress: (Int, Int) -> Void = { _, _ in },
        onHead: (ResponseHead) throws(TransportError) -> Void = { _ in },
        onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> ResponseHead {
        var request = request
        request.fields["User-Agent"] = userAgent
        var connection = try HTTPConnection(to: request.url, trust: trust, timeouts: timeouts)
        try send(request, over: connection, progress: progress)
        let deadline = ContinuousClock.now.advanced(by: request.answerTimeout ?? timeouts.answer)
        let head = try connection.readHead(until: deadline)
        try onHead(head)
        let framing = try head.framing(answering: request.method)
        try connection.readBody(framing, idle: timeouts.idle) { piece throws(TransportError) in
            try onBody(head, piece)
        }
        return head
    }

    private func send(
        _ request: ClientRequest, over connection: borrowing HTTPConnection, progress: (Int, Int) -> Void
    ) throws(TransportError) {
        switch request.body {
        case .none:
            let needsLength = request.method == .post || request.method == .put
            _ = try write(request.head(length: needsLength ? 0 : nil), to: connection)
        case .bytes(let bytes):
            _ = try write(request.head(length: bytes.count) + bytes, to: connection)
        case .file(let path):
            let file = try open(path)
            try send(file, 0..<file.size, head: request.head(length: file.size), to: connection, progress: progress)
        case .part(let path, let range):
            let file = try open(path)
            try send(file, range, head: request.head(length: range.count), to: connection, progress: progress)
        }
    }

    private func open(_ path: String) throws(TransportError) -> RegularFile {
        do throws(SystemError) { return try RegularFile(path) } catch { throw .localFile(error) }
    }

    /// An answer that comes before all is sent ends the sending: it is there to be read.
    private func send(
        _ file: borrowing RegularFile, _ range: Range<Int>, head: [UInt8], to connection: borrowing HTTPConnection,
        progress: (Int, Int) -> Void
    ) throws(TransportError) {
        guard case .all = try write(head, to: connection) else { return }
        var place = range.lowerBound
        while place < range.upperBound {
            let piece: [UInt8]
            do throws(SystemError) {
                piece = try file.read(at: place, upTo: min(Self.pieceSize, range.upperBound - place))
            } catch {
                throw .localFile(error)
            }
            guard case .all = try write(piece, to: connection) else { return }
            place += piece.count
            progress(place - range.lowerBound, range.count)
        }
    }

    private func write(
        _ bytes: [UInt8], to connection: borrowing HTTPConnection
    ) throws(TransportError) -> HTTPConnection.Written {
        // A borrowed connection cannot be captured: the buffer lives for the call.
        let span = bytes.span
        return try span.withUnsafeBytes { buffer throws(TransportError) in
            try connection.write(buffer, idle: timeouts.idle)
        }
    }

    private static let pieceSize = 256 << 10
}
