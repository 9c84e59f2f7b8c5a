import HTTP

/// The state that a connection holds only while a request is in progress.
final class Exchange {
    /// Unprocessed input, from ``start`` on.
    var input: [UInt8] = []
    var start = 0
    /// An incomplete head.
    var partial: PartialHead?
    /// The decoder of the request's body.
    var body: BodyDecoder?
    /// The reader of the body.
    var reader: BodyReader?
    /// The writer of a streamed response.
    var writer: StreamWriter?
    /// The output behind the loop's that the kernel has not taken.
    var outbox = Outbox()
    /// The peer's pace in taking the pending output.
    var outputPace: OutputPace?
    /// The record of a complete response that the kernel has not taken entirely.
    var unsent: RequestNote?

    var hasInput: Bool { start < input.count }

    /// Whether the exchange holds no state that the connection still needs.
    var isSpent: Bool {
        !hasInput && partial == nil && body == nil && reader == nil && writer == nil && outbox.isEmpty
            && outputPace == nil && unsent == nil
    }

    /// Keeps a copy of unprocessed bytes.
    func keep(_ bytes: [UInt8], _ range: Range<Int>) {
        input = Array(bytes[range])
        start = 0
    }

    /// Removes and returns the kept bytes.
    func takeInput() -> (bytes: [UInt8], range: Range<Int>) {
        let bytes = input
        let range = start..<bytes.count
        input = []
        start = 0
        return (bytes, range)
    }

    /// Whether the body has not been read to its end.
    var hasBody: Bool { body.map { !$0.isComplete } ?? false }
}

/// An incomplete head with its parser.
struct PartialHead {
    var parser: HeadParser
    var head: RequestHead
}
