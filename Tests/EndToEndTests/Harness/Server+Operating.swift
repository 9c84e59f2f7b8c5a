import Foundation
import Ground
import TestKit
import Testing

extension Server {
    /// The environment of commands for this server.
    var environment: [String: String] { ["LARDER_SERVER": base, "LARDER_TOKEN": token] }

    func putPackage(_ id: String, _ settings: String = "{}") throws {
        let response = try call("PUT", "/apps/default/packages/\(id)", settings)
        try #require(response.status == 201 || response.status == 200, "\(response.text)")
    }

    /// Runs `larder publish` to its end, whether it succeeds or not.
    func publish(_ path: String, as package: String, _ version: String) throws -> Program.Outcome {
        try Larder.run("publish", path, "--package", package, "--version", version, environment: environment)
    }

    func mustPublish(_ path: String, as package: String, _ version: String) throws {
        let outcome = try publish(path, as: package, version)
        try #require(outcome.status == 0, "\(outcome.errorOutput) \(log)")
    }

    /// - Parameter activeTime: The activation time in RFC 3339; without it the release is active at once.
    func release(_ version: String, of package: String, at activeTime: String? = nil) throws {
        let time = activeTime.map { ", \"activeTime\": \"\($0)\"" } ?? ""
        let response = try call(
            "POST", "/apps/default/packages/\(package)/releases", "{\"version\": \"\(version)\"\(time)}")
        try #require(response.status == 201, "\(response.text) \(log)")
    }

    /// Returns the published versions of a package.
    func versions(of package: String) throws -> [String] {
        struct List: Decodable {
            struct Version: Decodable { let version: String }
            let versions: [Version]
        }
        let response = try call("GET", "/apps/default/packages/\(package)/versions")
        try #require(response.status == 200, "\(response.text)")
        return try response.json(as: List.self).versions.map(\.version)
    }

    func config() throws -> [String: ConfigEntry] {
        let response = try get("/config")
        try #require(response.status == 200, "\(response.text)")
        return try response.json()
    }

    /// Returns the fingerprint of the root key from `larder key list`.
    func rootFingerprint() throws -> String {
        struct List: Decodable {
            struct Key: Decodable {
                let purpose: String
                let fingerprint: String?
            }
            let keys: [Key]
        }
        let response = try call("GET", "/apps/default/keys")
        let root = try response.json(as: List.self).keys.first { $0.purpose == "root" }?.fingerprint
        guard let root else { throw Program.Failure(description: "no root key in \(response.text)") }
        return root
    }

    /// Writes the private key that an app embeds to a file.
    func writeLegacyKey(to path: String) throws {
        let response = try call("GET", "/apps/default/keys/legacy")
        try #require(response.status == 200, "\(response.text)")
        try Data(response.body).write(to: URL(fileURLWithPath: path))
    }
}
