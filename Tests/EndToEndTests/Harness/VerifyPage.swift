import Foundation
import TestKit

/// The commands of docs/verify.md.
enum VerifyPage {
    /// Runs every block in an empty folder, for the package `news`.
    ///
    /// - Parameters:
    ///   - root: The required fingerprint; by default the server's own.
    ///   - acceptsUnsigned: Whether an unsigned response is accepted.
    ///   - change: A command that runs after the block that creates a file.
    static func run(
        against server: Server, root: String? = nil, acceptsUnsigned: Bool = false, inserting change: String = "",
        afterMaking file: String = ""
    ) throws -> Program.Outcome {
        let folder = "\(ScratchDirectory.path)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var script = ""
        var isChanged = change.isEmpty
        for block in try blocks() {
            script += block
            guard !isChanged, block.contains("> \(file)\n") else { continue }
            script += change + "\n"
            isChanged = true
        }
        guard isChanged else { throw Program.Failure(description: "no block makes \(file)") }
        try Data(script.utf8).write(to: URL(fileURLWithPath: "\(folder)/verify.sh"))
        return try Program.run(
            ["sh", "-c", #"cd "$0" && exec sh verify.sh"#, folder],
            environment: [
                "BASE": server.base, "PACKAGE": "news", "ROOT": try root ?? server.rootFingerprint(),
                "UNSIGNED": acceptsUnsigned ? "yes" : "",
            ])
    }

    /// Returns the blocks fenced as `sh` on the page, in order.
    private static func blocks() throws -> [String] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/verify.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.components(separatedBy: "\n```sh\n").dropFirst().compactMap { part in
            part.components(separatedBy: "```\n").first
        }
    }
}
