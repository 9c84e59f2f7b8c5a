import Ground

/// An incremental parser for multipart/form-data bodies (RFC 7578, RFC 2046 §5.1).
///
/// Buffers at most the head of a part or the length of a boundary.
package struct MultipartParser: Sendable {
    package struct Limits: Sendable, Hashable {
        /// The maximum length in bytes of a part's head, and of the preamble before the first part.
        package var headBytes = 4 << 10
        /// The maximum number of parts.
        package var parts = 32

        package init() {}
    }

    package enum Event: Hashable, Sendable {
        /// A part begins; the previous one, if any, is complete.
        case head(PartHead)
        /// The next bytes of the current part.
        case body([UInt8])
        /// The last part is complete, and all that follows is ignored. A body without this event is truncated.
        case end
    }

    private enum State {
        case preamble, afterBoundary, head, body, epilogue
    }

    private static let boundaryBytes = 70

    private let limits: Limits
    /// The delimiter after a part: CRLF, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// Received bytes that cannot be classified before more of them arrive.
    private var pending: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]
    private var parts = 0

    /// Creates a parser for a `Content-Type`; returns `nil` for another type, or without a valid boundary.
    package init?(contentType: String, limits: Limits = Limits()) {
        guard let type = ParameterList(contentType), type.value == "multipart/form-data",
            let boundary = type["boundary"], (1...Self.boundaryBytes).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ ASCII.isFieldValue($0) && $0 < 128 })
        else { return nil }
        self.limits = limits
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Parses the next piece of the body and returns its events in order.
    package mutating func read(_ piece: [UInt8]) throws(MultipartError) -> [Event] {
        guard state != .epilogue else { return [] }
        pending += piece
        var events: [Event] = []
        var start = 0
        while try step(&start, &events) {}
        pending.removeSubrange(..<start)
        return events
    }

    /// Parses on from `start` of the pending bytes; returns `false` if it needs more of them.
    private mutating func step(_ start: inout Int, _ events: inout [Event]) throws(MultipartError) -> Bool {
        switch state {
        case .preamble: try skipPreamble(&start)
        case .afterBoundary: try readAfterBoundary(&start, &events)
        case .head: try readHead(&start, &events)
        case .body: readBody(&start, &events)
        case .epilogue: passOver(&start)
        }
    }

    private mutating func skipPreamble(_ start: inout Int) throws(MultipartError) -> Bool {
        let found = firstDelimiter(from: start)
        // Counts only the bytes that belong to the preamble for certain, so that the result does not depend on the
        // pieces.
        guard (found ?? pending.count - delimiter.count + 1) - start <= limits.headBytes else { throw .headTooLarge }
        guard let found else { return false }
        start = found + delimiter.count
        state = .afterBoundary
        return true
    }

    /// Reads the bytes after a boundary: two hyphens after the last part, else white space and CRLF.
    private mutating func readAfterBoundary(
        _ start: inout Int, _ events: inout [Event]
    ) throws(MultipartError) -> Bool {
        if pending[start...].starts(with: [ASCII.hyphen, ASCII.hyphen]) {
            events.append(.end)
            state = .epilogue
            return true
        }
        let found = pending[start...].firstIndex(of: ASCII.lineFeed)
        guard (found ?? pending.count) - start <= limits.headBytes else { throw .headTooLarge }
        guard let end = found else { return false }
        let padding = pending[start..<end]
        guard padding.last == ASCII.carriageReturn,
            padding.dropLast().allSatisfy({ $0 == ASCII.space || $0 == ASCII.tab })
        else { throw .malformed }
        parts += 1
        guard parts <= limits.parts else { throw .tooManyParts }
        start = end + 1
        state = .head
        return true
    }

    private mutating func readHead(_ start: inout Int, _ events: inout [Event]) throws(MultipartError) -> Bool {
        var lines: [ArraySlice<UInt8>] = []
        var line = start
        while let end = pending[line...].firstIndex(of: ASCII.lineFeed) {
            guard end + 1 - start <= limits.headBytes else { throw .headTooLarge }
            guard end > line, pending[end - 1] == ASCII.carriageReturn else { throw .malformed }
            guard end - 1 > line else {
                events.append(.head(try PartHead(lines)))
                // The CRLF at the end of the head is also the first of an empty part's delimiter.
                start = end - 1
                state = .body
                isFirstOfBody = true
                return true
            }
            lines.append(pending[line..<end - 1])
            line = end + 1
        }
        guard pending.count - start <= limits.headBytes else { throw .headTooLarge }
        return false
    }

    private var isFirstOfBody = false

    private mutating func readBody(_ start: inout Int, _ events: inout [Event]) -> Bool {
        let found = firstDelimiter(from: start)
        // Holds back bytes that may begin a delimiter.
        let end = found ?? max(start, pending.count - delimiter.count + 1)
        if isFirstOfBody, end >= start + 2 || found == start {
            if found != start { start += 2 }
            isFirstOfBody = false
        }
        if end > start, !isFirstOfBody { events.append(.body(Array(pending[start..<end]))) }
        guard let found else {
            if !isFirstOfBody { start = end }
            return false
        }
        start = found + delimiter.count
        state = .afterBoundary
        return true
    }

    private mutating func passOver(_ start: inout Int) -> Bool {
        start = pending.count
        return false
    }

    private func firstDelimiter(from start: Int) -> Int? {
        let bytes = pending.span
        let last = bytes.count - delimiter.count
        var index = start
        while index <= last {
            if bytes[index] == ASCII.carriageReturn, matches(bytes, at: index) { return index }
            index += 1
        }
        return nil
    }

    private func matches(_ bytes: Span<UInt8>, at index: Int) -> Bool {
        for offset in 1..<delimiter.count where bytes[index + offset] != delimiter[offset] { return false }
        return true
    }
}
