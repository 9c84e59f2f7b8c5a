import Glibc
import Synchronization

/// A server on the loopback that sends the responses of a test.
package final class TinyServer: Sendable {
    /// A received request.
    package struct Request: Sendable {
        package let method: String
        package let path: String
        package let query: String
        /// The fields by name in lower case.
        package let fields: [String: String]
        package let body: [UInt8]

        package init(method: String, path: String, query: String, fields: [String: String], body: [UInt8]) {
            self.method = method
            self.path = path
            self.query = query
            self.fields = fields
            self.body = body
        }
    }

    /// The reaction to `Expect: 100-continue`.
    package enum Continuation: Sendable, Equatable {
        /// `100 Continue`; the response follows the body.
        case sent
        /// `100 Continue`; the response follows so many bytes of the body, and the others are discarded.
        case sentForSome(Int)
        /// None; the response follows the body.
        case ignored
        /// The response, after which the connection ends with the body unread.
        case refused
    }

    /// The reaction to a request.
    package enum Reply: Sendable {
        /// A response with its length.
        case response(Int, [String: String] = [:], [UInt8] = [])
        /// These bytes and the end of the connection.
        case raw([UInt8])
        /// No response until the client disconnects.
        case silence
    }

    package let port: UInt16
    private let listener: Int32
    private let received = Mutex<[Request]>([])
    private let handler: @Sendable (Request) -> Reply
    private let continuation: Continuation
    private let accepted = Atomic(0)

    /// - Parameters:
    ///   - host: The loopback address, as the last number of 127.0.0.x.
    ///   - port: The port; 0 for one that the system chooses.
    package init(
        host: UInt8 = 1, port: UInt16 = 0, continuation: Continuation = .sent,
        _ handler: @escaping @Sendable (Request) -> Reply
    ) {
        self.handler = handler
        self.continuation = continuation
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (0x7F00_0000 + UInt32(host)).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0)
                getsockname(descriptor, pointer, &length)
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.start { [self] in acceptAll() }
    }

    /// Refuses every later connection.
    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    deinit { close(listener) }

    package var base: String { "http://127.0.0.1:\(port)" }

    /// All requests so far, in order.
    package var requests: [Request] { received.withLock { $0 } }

    /// The number of connections so far.
    package var connections: Int { accepted.load(ordering: .relaxed) }

    package func requests(to path: String) -> [Request] { requests.filter { $0.path == path } }

    private func acceptAll() {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            accepted.add(1, ordering: .relaxed)
            Thread.start { [self] in
                serve(connection)
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        guard let request = read(connection) else { return }
        received.withLock { $0.append(request) }
        switch handler(request) {
        case .response(let status, let fields, let body):
            var lines = ["HTTP/1.1 \(status) Said", "Connection: close"]
            if status != 204, status != 304, fields["Transfer-Encoding"] == nil {
                lines.append("Content-Length: \(body.count)")
            }
            lines += fields.map { "\($0.key): \($0.value)" }
            write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body, to: connection)
            if case .sentForSome = continuation { discardRest(of: connection) }
        case .raw(let bytes): write(bytes, to: connection)
        case .silence: discardRest(of: connection)
        }
    }

    private func discardRest(of connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }

    private func write(_ bytes: [UInt8], to connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(connection, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var headEnd: Int?
        while headEnd == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
            headEnd = bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) }
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        var body = Array(bytes[(headEnd + 4)...])
        let expectsContinue = fields["expect"] == "100-continue"
        if expectsContinue, continuation != .ignored, continuation != .refused {
            write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection)
        }
        var length = Int(fields["content-length"] ?? "") ?? 0
        switch continuation {
        case .refused where expectsContinue: length = 0
        case .sentForSome(let count) where expectsContinue: length = count
        default: break
        }
        while body.count < length {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            body += buffer.prefix(count)
        }
        let start = lines[0].split(separator: " ")
        let target = start[1].split(separator: "?", maxSplits: 1)
        return Request(
            method: String(start[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
            fields: fields, body: body)
    }
}

/// A thread of the system, because the threads of the test may all be waiting for the server.
package enum Thread {
    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    package static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box)
        precondition(result == 0)
        pthread_detach(thread)
    }
}
