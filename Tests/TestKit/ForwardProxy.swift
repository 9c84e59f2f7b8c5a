import Dispatch
import Glibc

/// A forward proxy over real sockets, for plain requests and for tunnels (`CONNECT`) to servers on this machine.
package final class ForwardProxy: Sendable {
    /// The head of a request as the proxy got it.
    package struct Request: Sendable {
        package let line: String
        /// The values by name in lower case.
        package var fields: [String: String] = [:]
    }

    private let listener = ListeningSocket()
    private let received = Shared<[Request]>([])
    /// The response to every request, instead of forwarding it.
    private let refusal: String?

    /// - Parameter status: The status of the response to every request, instead of forwarding it.
    package init(refusing status: Int? = nil) {
        refusal = status.map { "HTTP/1.1 \($0) Refused\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno" }
        DispatchQueue(label: "proxy").async { [listener, self] in
            while let client = listener.accept() {
                let number = dup(client.number)
                DispatchQueue(label: "proxy.connection").async { try? self.serve(RawClient(owning: number)) }
            }
        }
    }

    package var port: UInt16 { listener.port }

    /// The heads of all requests so far, in the order in which they came.
    package var requests: [Request] { received.value }

    /// Accepts no further connection.
    package func stop() { listener.shut() }

    private func serve(_ client: RawClient) throws {
        var request = Request(line: try client.takeLine())
        var head = ""
        while case let line = try client.takeLine(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first?.lowercased() else { continue }
            request.fields[name] = parts.last.map { String($0.drop { $0 == " " }) }
            if !name.hasPrefix("proxy-") { head += "\(line)\r\n" }
        }
        let seen = request
        received.change { $0.append(seen) }
        if let refusal { return try client.send(refusal) }
        let words = request.line.split(separator: " ").map(String.init)
        if words[0] == "CONNECT" {
            let server = try RawClient(port: Self.port(of: words[1]), patience: 600)
            try client.send("HTTP/1.1 200 Connection established\r\n\r\n")
            Self.carry(client, server)
        } else {
            // scheme:, nothing, authority, path
            let parts = words[1].split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            let server = try RawClient(port: Self.port(of: String(parts[2])), patience: 600)
            try server.send(
                "\(words[0]) /\(parts.count > 3 ? parts[3] : "") HTTP/1.1\r\n\(head)Connection: close\r\n\r\n")
            Self.carry(client, server)
        }
    }

    private static func port(of authority: String) throws -> UInt16 {
        guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw RawClient.Failure.malformed(authority)
        }
        return port
    }

    /// Carries bytes in both directions until both have ended.
    private static func carry(_ client: RawClient, _ server: RawClient) {
        try? server.sendPlain(client.buffer)
        let (near, far) = (client.number, server.number)
        let other = DispatchSemaphore(value: 0)
        DispatchQueue(label: "proxy.responses").async {
            pump(far, near)
            other.signal()
        }
        pump(near, far)
        other.wait()
    }

    private static func pump(_ source: Int32, _ target: Int32) {
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while case let count = recv(source, &piece, piece.count, 0), count > 0 {
            var sent = 0
            while sent < count {
                let step = piece.withUnsafeBytes {
                    send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard step > 0 else { break }
                sent += step
            }
            guard sent == count else { break }
        }
        shutdown(target, Int32(SHUT_WR))
        shutdown(source, Int32(SHUT_RD))
    }
}
