package import HTTP

/// A reader of one connection's requests that behaves like the server, without a socket: bytes in, events out.
package struct MessageReader {
    package enum Event: Hashable, Sendable {
        case head(HeadFacts)
        /// Bytes of the body; consecutive ones are one event.
        case body([UInt8])
        case end
        /// The connection ends with this status, regardless of further bytes.
        case refused(status: Int)
    }

    private enum State {
        case head
        case body(BodyDecoder, isLast: Bool)
        case over
    }

    /// The events so far.
    package private(set) var events: [Event] = []
    /// The first violation of the parser's guarantees; see ``HeadFacts/fault(limits:)``.
    package private(set) var fault: String?

    private let limits: Limits
    private var state = State.head
    private var parser: HeadParser
    private var head = RequestHead()

    package init(limits: Limits = Limits()) {
        self.limits = limits
        parser = HeadParser(limits: limits)
    }

    /// Reads all of the bytes in pieces that end at the cuts, which are sorted and may repeat.
    package static func read(_ bytes: [UInt8], cuts: some Sequence<Int> = [], limits: Limits = Limits()) -> Self {
        var reader = MessageReader(limits: limits)
        var start = 0
        for end in cuts {
            reader.read(bytes, start..<end)
            start = end
        }
        reader.read(bytes, start..<bytes.count)
        return reader
    }

    /// Reads the next bytes of the connection, `input[range]`.
    package mutating func read(_ input: [UInt8], _ range: Range<Int>) {
        var range = range
        while !range.isEmpty {
            switch state {
            case .head: readHead(input, &range)
            case .body(let decoder, let isLast): readBody(decoder, isLast: isLast, input, &range)
            case .over: return
            }
        }
    }

    private mutating func readHead(_ input: [UInt8], _ range: inout Range<Int>) {
        do throws(HeadError) {
            switch try parser.parse(input, range, into: &head) {
            case .incomplete: range = range.upperBound..<range.upperBound
            case .complete(let end):
                range = end..<range.upperBound
                parser.reset()
                begin()
            }
        } catch {
            refuse(error.status)
        }
    }

    private mutating func begin() {
        let facts = HeadFacts(head)
        fault = fault ?? facts.fault(limits: limits)
        events.append(.head(facts))
        let decoder = BodyDecoder(head.framing, limits: limits)
        state = .body(decoder, isLast: !head.isPersistent)
        if decoder.isComplete { finish(isLast: !head.isPersistent) }
    }

    private mutating func readBody(
        _ decoder: BodyDecoder, isLast: Bool, _ input: [UInt8], _ range: inout Range<Int>
    ) {
        var decoder = decoder
        do throws(BodyError) {
            while let piece = try decoder.next(input, &range) { append(input[piece]) }
            state = .body(decoder, isLast: isLast)
            if decoder.isComplete { finish(isLast: isLast) }
        } catch {
            refuse(.badRequest)
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard case .body(let before) = events.last else { return events.append(.body(Array(bytes))) }
        events[events.count - 1] = .body(before + bytes)
    }

    private mutating func finish(isLast: Bool) {
        events.append(.end)
        state = isLast ? .over : .head
    }

    private mutating func refuse(_ status: Status) {
        events.append(.refused(status: status.code))
        state = .over
    }
}

extension MessageReader.Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .head(let facts): "\(facts)"
        case .body(let bytes): "body " + String(decoding: bytes, as: UTF8.self)
        case .end: "end"
        case .refused(let status): "\(status)"
        }
    }
}
