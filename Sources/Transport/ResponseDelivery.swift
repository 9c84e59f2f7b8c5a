import HTTP

/// A delivery that passes the response of an exchange to its receivers as it arrives.
struct ResponseDelivery {
    private let exchange: CurlExchange
    private var head: ResponseHead?
    /// The framing of the body; `nil` if the body ends with the connection.
    private var decoder: BodyDecoder?
    private var notified = 0
    /// The bytes of the body that were passed on.
    private var count = 0

    init(_ exchange: CurlExchange) {
        self.exchange = exchange
    }

    /// Whether the whole response has arrived, by its framing.
    var isComplete: Bool { decoder?.isComplete == true }

    /// Whether as much has arrived as the request needs (``ClientRequest/sufficientBody``).
    var isSufficient: Bool {
        guard head != nil, let needed = exchange.request.sufficientBody else { return false }
        return count >= needed || isComplete
    }

    /// The head, if the response may end anywhere after it.
    var sufficientHead: ResponseHead? { exchange.request.sufficientBody == nil ? nil : head }

    /// Passes on the bytes that have arrived since the last call.
    mutating func deliver(
        progress: (Int, Int) -> Void, onHead: (ResponseHead) throws(TransportError) -> Void,
        onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        if exchange.sent > notified {
            notified = exchange.sent
            progress(notified, exchange.body.count)
        }
        if head == nil, let head = exchange.head {
            if let proxy = exchange.proxy?.name, exchange.isForwarded, head.isOfProxy {
                throw .proxyRefused(proxy: proxy, status: head.status)
            }
            // A receiver of the head may discard what it has, so a response that cannot be read is rejected first.
            let framing = try head.framing(inResponseTo: exchange.request.method)
            guard framing != nil || exchange.hasReliableEnd || exchange.request.sufficientBody != nil else {
                throw .malformedResponse("over TLS, its body must have a length or chunks")
            }
            try onHead(head)
            decoder = framing.map { BodyDecoder($0, limits: Limits()) }
            self.head = head
        }
        guard let head, !exchange.received.isEmpty else { return }
        defer { exchange.discardReceived() }
        var unread = 0..<exchange.received.count
        guard decoder != nil else { return try hand(unread, of: head, to: onBody) }
        while let piece = try nextPiece(&unread) { try hand(piece, of: head, to: onBody) }
    }

    private mutating func nextPiece(_ unread: inout Range<Int>) throws(TransportError) -> Range<Int>? {
        do throws(BodyError) { return try decoder?.next(exchange.received, &unread) } catch {
            throw .malformedResponse("its chunks are malformed")
        }
    }

    private mutating func hand(
        _ piece: Range<Int>, of head: ResponseHead,
        to onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        let received = exchange.received
        count += piece.count
        try received.span.withUnsafeBytes { bytes throws(TransportError) in
            try onBody(head, UnsafeRawBufferPointer(rebasing: bytes[piece]))
        }
    }

    /// Returns the head of the response after the connection or its stream has ended.
    ///
    /// Throws `connectionEnded` if the response is incomplete.
    func finish() throws(TransportError) -> ResponseHead {
        let peer = exchange.request.url.authority
        guard let head else {
            throw .connectionEnded(peer: peer, reason: "it was closed before the end of the response")
        }
        guard sufficientHead == nil, let decoder, !decoder.isComplete else { return head }
        let missing = decoder.remaining.map { "\($0) bytes are" } ?? "its last chunk is"
        throw .connectionEnded(peer: peer, reason: "\(missing) missing")
    }
}

extension ResponseHead {
    /// Whether a proxy probably made the response: errors of Larder itself are JSON.
    fileprivate var isOfProxy: Bool {
        status == 407
            || [403, 502, 503, 504].contains(status) && fields[.contentType]?.contains("json") != true
    }
}
