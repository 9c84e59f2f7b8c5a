import Ground

extension Response {
    /// Returns the information on the body's length for a peer with this minor version of HTTP/1.
    package func heading(minorVersion: Int) -> BodyHeading {
        guard !status.isBodiless else { return .none }
        return switch body {
        case .empty: .length(0)
        case .bytes(let bytes): .length(bytes.count)
        case .file(let region): .length(region.count)
        case .pieces(let pieces): .length(pieces.reduce(0) { $0 + $1.count })
        case .stream(let length?, _): .length(length)
        case .stream(nil, _), .feed: minorVersion == 0 ? .none : .chunked
        }
    }

    /// Appends the status line and fields, without `Date`, `Connection` and the empty line.
    package func writeHead(_ heading: BodyHeading, to bytes: inout [UInt8]) {
        bytes += "HTTP/1.1 \(status.code) ".utf8
        bytes += status.reason.utf8
        bytes += "\r\n".utf8
        for field in fields.all {
            bytes += field.name.name.utf8
            bytes += ": ".utf8
            let start = bytes.count
            bytes += field.value.utf8
            // A line break in a value would begin another field.
            for index in start..<bytes.count where !ASCII.isFieldValue(bytes[index]) { bytes[index] = ASCII.space }
            bytes += "\r\n".utf8
        }
        switch heading {
        case .none: break
        case .length(let count): bytes += "Content-Length: \(count)\r\n".utf8
        case .chunked: bytes += "Transfer-Encoding: chunked\r\n".utf8
        }
    }
}
