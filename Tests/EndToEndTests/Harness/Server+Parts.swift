import Foundation
import Ground
import TestKit
import Testing

/// Uploads in parts by the tus protocol; their paths are those of `Location`.
extension Server {
    func sendTus(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: [UInt8] = []
    ) throws -> RawClient.Response {
        let connection = try connect()
        try connection.sendHead(method, path, tusFields(fields, body.count))
        try connection.send(body)
        return try connection.receive(withoutBody: method == "HEAD")
    }

    private func tusFields(_ own: [String: String], _ length: Int) -> [String: String] {
        [
            "Authorization": "Bearer \(token)", "Tus-Resumable": "1.0.0", "Content-Length": "\(length)",
            "Content-Type": "application/offset+octet-stream",
        ].merging(own) { $1 }
    }

    /// Creates an upload and returns its path.
    func makeUpload(_ length: Int) throws -> String {
        let response = try sendTus("POST", "/api/v1/uploads", ["Upload-Length": "\(length)"])
        try #require(response.status == 201, "\(response.text) \(log)")
        return try #require(URL(string: response.fields["location"] ?? "")).path
    }

    func sendPart(_ path: String, at offset: Int, _ bytes: [UInt8]) throws -> RawClient.Response {
        try sendTus("PATCH", path, ["Upload-Offset": "\(offset)"], bytes)
    }

    /// Sends the beginning of a part of so many bytes.
    func beginPart(_ path: String, at offset: Int, _ bytes: [UInt8], of count: Int) throws -> RawClient {
        let connection = try connect()
        try connection.sendHead("PATCH", path, tusFields(["Upload-Offset": "\(offset)"], count))
        try connection.send(bytes)
        return connection
    }

    func offset(ofUpload path: String) throws -> Int {
        let response = try sendTus("HEAD", path)
        try #require(response.status == 200)
        return try #require(response.fields["upload-offset"].flatMap { Int($0) })
    }

    func publish(upload path: String, as package: String, _ version: String) throws -> RawClient.Response {
        let id = path.split(separator: "/").last ?? ""
        return try call("POST", "/apps/default/packages/\(package)/versions?version=\(version)&upload=\(id)")
    }
}
