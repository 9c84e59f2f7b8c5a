import TLS
import TestKit

/// A listener on the loopback that speaks TLS and says the same to everybody.
final class SecureServer: Sendable {
    /// How its connections end.
    enum Ending: Sendable {
        /// With the word that nothing more comes (`close_notify`).
        case announced
        /// Without it, as whoever sits in between can have it end.
        case cut
    }

    private let listener = ListeningSocket()

    /// - Parameter answer: What is said to each request, as it is.
    init(_ files: TLSCertificateFiles, saying answer: String, ending: Ending) throws {
        let certificates = try TLSCertificates([files])
        let listener = listener
        Thread.start {
            while let connection = listener.accept() {
                // Who does not trust the certificate leaves in the middle of the handshake.
                try? Self.serve(connection, certificates, answer, ending)
            }
        }
    }

    var base: String { "https://127.0.0.1:\(listener.port)" }

    /// Lets nobody in any more.
    func stop() { listener.shut() }

    private static func serve(
        _ connection: RawClient, _ certificates: TLSCertificates, _ answer: String, _ ending: Ending
    ) throws {
        try connection.startTLS(serving: certificates)
        while try !connection.takeLine().isEmpty {}
        try connection.send(answer)
        if ending == .announced { try connection.finishSecurely() }
    }
}
