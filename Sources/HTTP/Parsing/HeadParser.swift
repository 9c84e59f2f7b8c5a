/// An incremental parser of request heads (RFC 9112 §2–§5).
///
/// The parser belongs to the ``RequestHead`` that it fills: move both together. It rejects bytes on whose end two
/// readers could disagree. Call ``reset()`` after an error or a complete head.
package struct HeadParser: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The head continues after these bytes, all of which are consumed.
        case incomplete
        /// The head ends before this index of the input.
        case complete(end: Int)
    }

    enum State: Sendable {
        case start, startLineFeed, method, target, version
        case fieldStart, name, beforeValue, value, valueLineFeed, endLineFeed
    }

    package let limits: Limits
    var state = State.start
    /// The offset of the next unread byte from the beginning of the head.
    var position = 0
    /// The offset at which the current part begins.
    var mark = 0
    var name = 0..<0
    var target = 0..<0
    var emptyLines = 0
    var framing = FramingRules()

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether a head has begun.
    package var isUnderway: Bool { position > 0 }

    /// Resets the parser for the next head.
    package mutating func reset() {
        state = .start
        position = 0
        emptyLines = 0
        framing = FramingRules()
    }

    /// Parses `input[range]`, which continues the bytes of the previous call.
    package mutating func parse(
        _ input: [UInt8], _ range: Range<Int>, into head: inout RequestHead
    ) throws(HeadError) -> Outcome {
        guard isUnderway else { return try parseFirst(input, range, into: &head) }
        let before = head.bytes.count
        let taken = min(range.count, limits.headBytes - before)
        head.bytes.append(contentsOf: input[range.lowerBound..<range.lowerBound + taken])
        // Moved out of the head, so that its fields can be written while the bytes are read.
        var bytes: [UInt8] = []
        swap(&bytes, &head.bytes)
        let isComplete = try advance(over: bytes.span, into: &head)
        swap(&bytes, &head.bytes)
        guard isComplete else { return try incomplete(at: head.bytes.count) }
        head.bytes.removeSubrange(position...)
        return .complete(end: range.lowerBound + position - before)
    }

    /// Parses the first bytes of a head without copying them before the end is known.
    private mutating func parseFirst(
        _ input: [UInt8], _ range: Range<Int>, into head: inout RequestHead
    ) throws(HeadError) -> Outcome {
        head.removeAll()
        let taken = range.lowerBound..<range.lowerBound + min(range.count, limits.headBytes)
        let isComplete = try advance(over: input.span.extracting(taken), into: &head)
        let end = range.lowerBound + position
        head.bytes.append(contentsOf: input[range.lowerBound..<end])
        return isComplete ? .complete(end: end) : try incomplete(at: position)
    }

    private func incomplete(at count: Int) throws(HeadError) -> Outcome {
        guard count < limits.headBytes else { throw .fieldsTooLarge }
        return .incomplete
    }
}
