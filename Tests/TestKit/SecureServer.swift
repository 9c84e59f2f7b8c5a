package import TLS

/// A TLS server on the loopback that sends the same response to all clients.
package final class SecureServer: Sendable {
    /// The ways in which its connections end.
    package enum Ending: Sendable {
        /// With `close_notify`.
        case announced
        /// Without `close_notify`, as if an attacker in between cut the connection.
        case cut
        /// By the client, who gets no further byte.
        case awaited
        /// By the client, who gets a byte of a body again and again.
        case endless
    }

    /// The file of its certificate.
    package let certificate: String
    private let listener = ListeningSocket()

    /// - Parameter text: The raw response to each request.
    package init(_ files: TLSCertificateFiles, saying text: String, ending: Ending) throws {
        certificate = files.certificate
        let certificates = try TLSCertificates([files])
        let listener = listener
        Thread.start {
            while let connection = listener.accept() {
                // A client that does not trust the certificate disconnects during the handshake.
                try? Self.serve(connection, certificates, text, ending)
            }
        }
    }

    /// Creates a server with a certificate of its own for its address.
    package convenience init(saying text: String, ending: Ending) throws {
        try self.init(TestCertificate.make(names: ["IP:127.0.0.1"]), saying: text, ending: ending)
    }

    package var base: String { "https://127.0.0.1:\(listener.port)" }

    /// Stops accepting connections.
    package func stop() { listener.shut() }

    private static func serve(
        _ connection: RawClient, _ certificates: TLSCertificates, _ text: String, _ ending: Ending
    ) throws {
        try connection.startTLS(serving: certificates)
        var length = 0
        while case let line = try connection.takeLine().lowercased(), !line.isEmpty {
            if line.hasPrefix("content-length: ") { length = Int(line.dropFirst(16)) ?? 0 }
        }
        _ = try connection.take(length)
        try connection.send(text)
        switch ending {
        case .announced: try connection.finishSecurely()
        case .cut: break
        case .awaited: _ = try connection.takeAll()
        case .endless: while true { try connection.send(String(repeating: " ", count: 16 << 10)) }
        }
    }
}
