import Glibc

/// A plain client: one socket that blocks, every wait at most ten seconds.
final class TestClient {
    struct Answer {
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    enum Failure: Error {
        case cannotConnect, cannotSend, ended, timedOut, malformed(String)
    }

    private let number: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Failure.cannotConnect }
    }

    deinit {
        close(number)
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    number, buffer.baseAddress.map { $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.cannotSend }
            start += count
        }
    }

    /// Sends zeroes for as long as the kernel takes them; how many it took.
    func sendWhatIsTaken(_ most: Int) -> Int {
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        var sent = 0
        while sent < most {
            // The kernel of a peer that does not read goes on taking bytes for a moment.
            var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard poll(&wait, 1, 300) == 1 else { break }
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = Glibc.send(number, piece, min(piece.count, most - sent), flags)
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Says that nothing more comes.
    func finishSending() {
        shutdown(number, Int32(SHUT_WR))
    }

    /// Has the connection break, not end, when this is released.
    func breakOff() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends a request without fields of its own and takes the answer.
    func get(_ path: String, _ fields: String = "") throws -> Answer {
        try send("GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return try receive()
    }

    /// The next answer; one to a `HEAD` has no body.
    func receive(withoutBody: Bool = false) throws -> Answer {
        var answer = try receiveHead()
        if withoutBody || answer.status < 200 || answer.status == 204 || answer.status == 304 { return answer }
        if let length = answer.fields["content-length"].flatMap({ Int($0) }) {
            answer.body = try take(length)
        } else if answer.fields["transfer-encoding"] == "chunked" {
            while let size = Int(try takeLine(), radix: 16) {
                answer.body += try take(size)
                _ = try takeLine()
                if size == 0 { break }
            }
        } else {
            answer.body = try takeAll()
        }
        return answer
    }

    func receiveHead() throws -> Answer {
        var answer = Answer()
        let start = try takeLine()
        guard start.hasPrefix("HTTP/1.1 "), let status = Int(start.dropFirst(9).prefix(3)) else {
            throw Failure.malformed(start)
        }
        answer.status = status
        while true {
            let line = try takeLine()
            guard !line.isEmpty else { return answer }
            guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(line) }
            answer.fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }

    /// Whether something comes, or the connection ends, within so many milliseconds.
    func hasInput(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return !buffer.isEmpty || poll(&wait, 1, milliseconds) == 1
    }

    /// Whether the connection has broken within so many milliseconds, whatever there is to read.
    func hasEnded(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: 0x2000, revents: 0)
        return poll(&wait, 1, milliseconds) == 1
    }

    /// Whether the server closes the connection, without sending anything more, within ten seconds.
    func isEnded() -> Bool {
        guard buffer.isEmpty else { return false }
        do {
            try fill()
            return false
        } catch Failure.ended {
            return true
        } catch {
            return false
        }
    }

    /// Everything up to the end of the connection.
    func takeAll() throws -> [UInt8] {
        do {
            while true { try fill() }
        } catch Failure.ended {
            defer { buffer = [] }
            return buffer
        }
    }

    func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func takeLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end].dropLast(), as: UTF8.self)
                buffer.removeSubrange(...end)
                return line
            }
            try fill()
        }
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(number, &piece, piece.count, 0)
        guard count > 0 else { throw count < 0 && errno == EAGAIN ? Failure.timedOut : Failure.ended }
        buffer += piece[..<count]
    }
}
