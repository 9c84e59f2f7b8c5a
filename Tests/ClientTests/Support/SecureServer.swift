import TLS
import TestKit

/// A TLS server on the loopback that sends the same response to all clients.
final class SecureServer: Sendable {
    /// The ways in which its connections end.
    enum Ending: Sendable {
        /// With `close_notify`.
        case announced
        /// Without `close_notify`, as if an attacker in between cut the connection.
        case cut
    }

    private let listener = ListeningSocket()

    /// - Parameter text: The raw response to each request.
    init(_ files: TLSCertificateFiles, saying text: String, ending: Ending) throws {
        let certificates = try TLSCertificates([files])
        let listener = listener
        Thread.start {
            while let connection = listener.accept() {
                // A client that does not trust the certificate disconnects during the handshake.
                try? Self.serve(connection, certificates, text, ending)
            }
        }
    }

    var base: String { "https://127.0.0.1:\(listener.port)" }

    /// Stops accepting connections.
    func stop() { listener.shut() }

    private static func serve(
        _ connection: RawClient, _ certificates: TLSCertificates, _ text: String, _ ending: Ending
    ) throws {
        try connection.startTLS(serving: certificates)
        while try !connection.takeLine().isEmpty {}
        try connection.send(text)
        if ending == .announced { try connection.finishSecurely() }
    }
}
