import Glibc

extension RawClient {
    /// Receives the next response; one to a `HEAD` has no body.
    package func receive(withoutBody: Bool = false) throws -> Response {
        var response = try receiveHead()
        if withoutBody || response.status < 200 || response.status == 204 || response.status == 304 { return response }
        if let length = response.fields["content-length"].flatMap({ Int($0) }) {
            response.body = try take(length)
        } else if response.fields["transfer-encoding"] == "chunked" {
            while true {
                let chunk = try receiveChunk()
                guard !chunk.isEmpty else { break }
                response.body += chunk
            }
        } else {
            response.body = try takeAll()
        }
        return response
    }

    /// Receives the next chunk of a body; an empty one is the last.
    package func receiveChunk() throws -> [UInt8] {
        let line = try takeLine()
        guard let size = Int(line, radix: 16) else { throw Failure.malformed(line) }
        defer { _ = try? takeLine() }
        return try take(size)
    }

    /// Receives the head of the next response, interim ones included.
    package func receiveHead() throws -> Response {
        var response = Response()
        let start = try takeLine()
        guard start.hasPrefix("HTTP/1.1 "), let status = Int(start.dropFirst(9).prefix(3)) else {
            throw Failure.malformed(start)
        }
        response.status = status
        while true {
            let line = try takeLine()
            guard !line.isEmpty else { return response }
            guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(line) }
            response.fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }

    /// Receives everything up to the end of the connection.
    package func takeAll() throws -> [UInt8] {
        do {
            while true { try fill() }
        } catch Failure.ended {
            defer { buffer = [] }
            return buffer
        }
    }

    package func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Receives the next line, without its ending.
    package func takeLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end].dropLast(), as: UTF8.self)
                buffer.removeSubrange(...end)
                return line
            }
            try fill()
        }
    }

    func fill() throws {
        let piece: [UInt8]
        do { piece = try receivePiece() } catch Failure.ended {
            guard let secure else { throw Failure.ended }
            // The last bytes may have contained the end.
            try open([], secure)
            throw Failure.cut
        }
        if let secure { try open(piece, secure) } else { buffer += piece }
    }

    /// Receives the next raw bytes of the socket.
    func receivePiece() throws -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        let count = recv(number, &piece, piece.count, 0)
        guard count > 0 else { throw count < 0 && errno == EAGAIN ? Failure.timedOut : Failure.ended }
        return Array(piece[..<count])
    }
}
