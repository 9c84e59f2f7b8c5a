import Foundation
import Glibc

/// A client that sends exactly what the test specifies: one blocking socket, every wait with a timeout.
package final class RawClient {
    package struct Response {
        package var status = 0
        /// The fields by name in lower case.
        package var fields: [String: String] = [:]
        package var body: [UInt8] = []

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package enum Failure: Error, Equatable {
        case cannotConnect(code: Int32)
        case cannotSend(code: Int32)
        case ended
        /// The connection ended without `close_notify`.
        case cut
        case timedOut
        case malformed(String)
    }

    let number: Int32
    /// Received bytes that were not taken yet.
    var buffer: [UInt8] = []
    var secure: Secure?

    private init(family: Int32, patience: Int, receiveBuffer: Int32? = nil) {
        number = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Takes ownership of a connection that a server accepted.
    init(owning number: Int32) {
        self.number = number
    }

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - patience: The maximum time of one wait in seconds.
    ///   - receiveBuffer: The bytes that the kernel takes for a client that does not read.
    package convenience init(port: UInt16, patience: Int = 10, receiveBuffer: Int32? = nil) throws {
        self.init(family: AF_INET, patience: patience, receiveBuffer: receiveBuffer)
        let code = SocketAddress(port: port).call(connect, number)
        guard code == 0 else { throw Failure.cannotConnect(code: code) }
    }

    /// Connects to a unix socket.
    package convenience init(unixPath: String, patience: Int = 10) throws {
        self.init(family: AF_UNIX, patience: patience)
        let code = SocketAddress(path: unixPath).call(connect, number)
        guard code == 0 else { throw Failure.cannotConnect(code: code) }
    }

    deinit {
        close(number)
    }

    package func send(_ text: String) throws {
        try send(text.utf8)
    }

    package func send(_ bytes: some Collection<UInt8>) throws {
        if let secure { try sendSealed(Array(bytes), secure) } else { try sendPlain(Array(bytes)) }
    }

    package func sendPlain(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    number, buffer.baseAddress.map { $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.cannotSend(code: errno) }
            start += count
        }
    }

    /// Ends the outgoing stream.
    package func finishSending() {
        shutdown(number, Int32(SHUT_WR))
    }

    /// Makes the connection reset instead of end when this object is released.
    package func breakOff() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// The port of this end of a TCP connection.
    package var localPort: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits until the system has closed the server's end of a connection that was reset; a busy system delivers the
    /// reset late.
    ///
    /// - Parameter port: The ``localPort`` of the client that sent the reset.
    package static func waitForReset(from port: UInt16, patience: Int = 10) throws {
        let remote = ":" + String(String(UInt32(port) | 0x1_0000, radix: 16, uppercase: true).dropFirst())
        for _ in 0..<(patience * 1_000) {
            let connections = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n")
            let isOpen = connections.dropFirst().contains { line in
                line.split(separator: " ").dropFirst(2).first?.hasSuffix(remote) ?? false
            }
            guard isOpen else { return }
            usleep(1_000)
        }
        throw Failure.timedOut
    }

    /// Sends a request with these fields and receives the response.
    package func get(_ path: String, _ fields: String = "") throws -> Response {
        try send("GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return try receive()
    }
}
