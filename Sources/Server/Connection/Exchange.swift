import HTTP

/// What a connection holds only while a request is under way.
final class Exchange {
    /// Bytes that were read and are not used yet, from ``start`` on.
    var input: [UInt8] = []
    var start = 0
    /// A head that is not complete.
    var partial: PartialHead?
    /// Finds the bytes of the request's body.
    var body: BodyDecoder?
    /// Who reads the body.
    var reader: BodyReader?
    /// Who writes a streamed answer.
    var writer: StreamWriter?
    /// What the kernel has not taken yet, after the loop's output.
    var outbox = Outbox()
    /// How fast the peer takes what is held up.
    var outputPace: OutputPace?
    /// Whether the time for a body that is thrown away runs.
    var isSkipTimed = false
    /// The request whose answer is complete, and not with the kernel yet.
    var unsent: RequestNote?

    var hasInput: Bool { start < input.count }

    /// Whether nothing is left that the connection would have to remember.
    var isSpent: Bool {
        !hasInput && partial == nil && body == nil && reader == nil && writer == nil && outbox.isEmpty && unsent == nil
    }

    /// Keeps a copy of bytes that nobody has used yet.
    func keep(_ bytes: [UInt8], _ range: Range<Int>) {
        input = Array(bytes[range])
        start = 0
    }

    /// Hands out what was kept.
    func takeInput() -> (bytes: [UInt8], range: Range<Int>) {
        let bytes = input
        let range = start..<bytes.count
        input = []
        start = 0
        return (bytes, range)
    }

    /// Whether a body is still to be read.
    var hasBody: Bool { body.map { !$0.isComplete } ?? false }
}

/// A head that came in part, with the parser that goes on with it.
struct PartialHead {
    var parser: HeadParser
    var head: RequestHead
}
