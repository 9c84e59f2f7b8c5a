import Foundation
import Glibc
import Synchronization
import TestKit

/// A relay between clients and the socket of a PostgreSQL server, whose connections can fail on one side only.
final class PostgreSQLRelay: Sendable {
    /// The folder with the socket of the relay, for the parameter `host` of a URL.
    let folder: String
    private let server: String
    private let listener: ListeningSocket
    private let connections = Mutex<[Connection]>([])

    private final class Connection: Sendable {
        let client: Int32
        let server: Int32
        let isSilent = Atomic(false)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        deinit {
            close(client)
            close(server)
        }
    }

    /// - Parameters:
    ///   - server: The folder with the server's socket.
    ///   - folder: The folder in which the relay makes its socket.
    init(to server: String, in folder: String) {
        self.server = server
        self.folder = folder
        listener = ListeningSocket(unixPath: "\(folder)/.s.PGSQL.5432")
        Thread.detachNewThread { [weak self, number = listener.number] in
            while case let client = Glibc.accept(number, nil, nil), client >= 0 { self?.relay(client) }
        }
    }

    deinit {
        listener.shut()
        cut()
        for connection in connections.withLock({ $0 }) { shutdown(connection.server, Int32(SHUT_RDWR)) }
    }

    /// Ends the clients' side of all connections; the server's side stays open.
    func cut() {
        for connection in connections.withLock({ $0 }) { shutdown(connection.client, Int32(SHUT_RDWR)) }
    }

    /// Discards everything that is sent on the present connections; later ones work.
    func silence() {
        for connection in connections.withLock({ $0 }) { connection.isSilent.store(true, ordering: .relaxed) }
    }

    private func relay(_ client: Int32) {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        precondition(SocketAddress(path: "\(server)/.s.PGSQL.5432").call(connect, number) == 0, "cannot connect")
        let connection = Connection(client: client, server: number)
        connections.withLock { $0.append(connection) }
        for (source, target) in [(client, number), (number, client)] {
            Thread.detachNewThread { Self.copy(from: source, to: target, of: connection) }
        }
    }

    private static func copy(from source: Int32, to target: Int32, of connection: Connection) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            guard !connection.isSilent.load(ordering: .relaxed) else { continue }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
        }
        // The end of the server's side is passed on, that of the client's side is not.
        if source == connection.server { shutdown(connection.client, Int32(SHUT_RDWR)) }
    }
}
