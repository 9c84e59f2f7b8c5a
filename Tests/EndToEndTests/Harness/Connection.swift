import Foundation

/// A plain HTTP client on one socket that blocks, every wait at most a minute.
final class Connection {
    struct Answer {
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }

        func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(body))
        }
    }

    enum Failure: Error {
        case cannotConnect(code: Int32)
        case cannotSend(code: Int32)
        case ended
        case timedOut
        case malformed(String)
    }

    private let number: Int32
    private var buffer: [UInt8] = []

    /// - Parameter receiveBuffer: Bytes that the kernel takes for a client that does not read.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure.cannotConnect(code: errno) }
    }

    deinit { close(number) }

    func send(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.send(number, buffer.baseAddress.map { $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.cannotSend(code: errno) }
            start += count
        }
    }

    /// Sends the head of a request; a `Content-Length` among the fields announces a body.
    func sendHead(_ method: String, _ path: String, _ fields: [String: String] = [:]) throws {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        try send("\(method) \(path) HTTP/1.1\r\nHost: larder.test\r\n\(lines)\r\n".utf8)
    }

    func receive() throws -> Answer {
        var answer = try receiveHead()
        if let length = answer.fields["content-length"].flatMap({ Int($0) }) { answer.body = try take(length) }
        return answer
    }

    /// The head of the next answer; interim ones are passed over.
    func receiveHead() throws -> Answer {
        var answer = Answer()
        repeat {
            let start = try takeLine()
            guard start.hasPrefix("HTTP/1.1 "), let status = Int(start.dropFirst(9).prefix(3)) else {
                throw Failure.malformed(start)
            }
            answer = Answer(status: status)
            while case let line = try takeLine(), !line.isEmpty {
                guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(line) }
                answer.fields[line[..<colon].lowercased()] = String(
                    line[line.index(after: colon)...].drop { $0 == " " })
            }
        } while answer.status < 200
        return answer
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
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        let count = recv(number, &piece, piece.count, 0)
        guard count > 0 else { throw count < 0 && errno == EAGAIN ? Failure.timedOut : Failure.ended }
        buffer += piece[..<count]
    }
}
