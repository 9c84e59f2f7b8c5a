import TestKit

/// The upload of a zip in pieces.
final class Upload {
    private let zip: [UInt8]
    private let connection: RawClient
    private var sent = 0

    /// Sends the head.
    init(_ zip: [UInt8], as package: String, _ version: String, to server: Server) throws {
        self.zip = zip
        connection = try server.connect()
        try connection.sendHead(
            "POST", "/api/v1/apps/default/packages/\(package)/versions?version=\(version)",
            [
                "Authorization": "Bearer \(server.token)", "Content-Type": "application/zip",
                "Content-Length": "\(zip.count)",
            ])
    }

    /// Sends further bytes until their total is `count`.
    func send(upTo count: Int) throws {
        try connection.send(zip[sent..<count])
        sent = count
    }

    func response() throws -> RawClient.Response { try connection.receive() }
}
