import Foundation
import Ground
import TestKit
import Testing

/// A folder that a client synchronises with a server.
protocol Device {
    var folder: String { get }
    /// Whether the client supports delta patches.
    var takesDeltas: Bool { get }
    /// Syncs, and returns the update method: `full`, `files`, `delta`, `prepared`, or another outcome.
    func sync(_ package: String, with server: Server) throws -> String
}

extension Device {
    /// Returns the files of the copy.
    func copy(of package: String) throws -> FolderContents { try FolderContents("\(folder)/\(package)") }
}

/// A device with `larder sync`.
struct LarderDevice: Device {
    let folder: String
    let takesDeltas = true

    init(_ name: String) { folder = "\(ScratchDirectory.path)/larder-\(name)" }

    func sync(_ package: String, with server: Server) throws -> String {
        let outcome = try Larder.run("sync", server.base, folder, "--json")
        try #require(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        let result = try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
        let own = try #require(result.packages.first { $0.package == package })
        return own.by ?? own.outcome
    }

    struct Result: Decodable {
        let packages: [Package]

        struct Package: Decodable {
            let package: String
            let outcome: String
            let by: String?
            let to: String?
            let next: Next?

            struct Next: Decodable {
                let state: String
                let version: String
            }
        }
    }
}

/// A device with the second client, which shares no code with Larder.
struct SeedDevice: Device {
    let folder: String
    let takesDeltas = false
    let privateKey: String

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("EndToEnd/seed000_client.py").path

    init(_ name: String, privateKey: String) {
        folder = "\(ScratchDirectory.path)/seed-\(name)"
        self.privateKey = privateKey
    }

    func sync(_ package: String, with server: Server) throws -> String {
        let outcome = try Program.run([
            "python3", Self.script, "--base", server.base, "--cache", folder, "--private-key", privateKey,
        ])
        try #require(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        let result = try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
        let own = try #require(result.packages.first { $0.appId == package })
        guard let kind = own.kind else { return own.outcome }
        return kind == "incremental" ? "files" : kind
    }

    private struct Result: Decodable {
        let packages: [Package]

        struct Package: Decodable {
            let appId: String
            let outcome: String
            let kind: String?
        }
    }
}
