import Foundation
import Ground
import TestKit
import Testing

extension Server {
    /// For commands that act on this server.
    var environment: [String: String] { ["LARDER_SERVER": base, "LARDER_TOKEN": token] }

    func putPackage(_ id: String, _ settings: String = "{}") throws {
        let answer = try call("PUT", "/apps/default/packages/\(id)", settings)
        try #require(answer.status == 201 || answer.status == 200, "\(answer.text)")
    }

    /// Runs `larder publish` to its end, whatever that is.
    func publish(_ path: String, as package: String, _ version: String) throws -> Program.Outcome {
        try Larder.run("publish", path, "--package", package, "--version", version, environment: environment)
    }

    func mustPublish(_ path: String, as package: String, _ version: String) throws {
        let outcome = try publish(path, as: package, version)
        try #require(outcome.status == 0, "\(outcome.errorOutput) \(log)")
    }

    /// - Parameter activeTime: By RFC 3339; at once where there is none.
    func release(_ version: String, of package: String, at activeTime: String? = nil) throws {
        let time = activeTime.map { ", \"activeTime\": \"\($0)\"" } ?? ""
        let answer = try call(
            "POST", "/apps/default/packages/\(package)/releases", "{\"version\": \"\(version)\"\(time)}")
        try #require(answer.status == 201, "\(answer.text) \(log)")
    }

    /// The versions of a package that are published.
    func versions(of package: String) throws -> [String] {
        struct List: Decodable {
            struct Version: Decodable { let version: String }
            let versions: [Version]
        }
        let answer = try call("GET", "/apps/default/packages/\(package)/versions")
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.json(as: List.self).versions.map(\.version)
    }

    func config() throws -> [String: ConfigEntry] {
        let answer = try get("/config")
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.json()
    }

    /// What `larder key list` shows of the root key.
    func rootFingerprint() throws -> String {
        struct List: Decodable {
            struct Key: Decodable {
                let purpose: String
                let fingerprint: String?
            }
            let keys: [Key]
        }
        let answer = try call("GET", "/apps/default/keys")
        let root = try answer.json(as: List.self).keys.first { $0.purpose == "root" }?.fingerprint
        guard let root else { throw Program.Failure(description: "no root key in \(answer.text)") }
        return root
    }

    /// The private half that an app embeds, as a file.
    func writeLegacyKey(to path: String) throws {
        let answer = try call("GET", "/apps/default/keys/legacy")
        try #require(answer.status == 200, "\(answer.text)")
        try Data(answer.body).write(to: URL(fileURLWithPath: path))
    }
}
