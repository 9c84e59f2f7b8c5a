import Foundation
import TestKit

/// Runs the commands of docs/verify.md.
enum VerifyPage {
    /// Runs every block in an empty folder, about the package `news`.
    ///
    /// - Parameters:
    ///   - root: The fingerprint that is demanded; the server's own where there is none.
    ///   - acceptsUnsigned: Whether it goes on where the whole answer is not signed.
    ///   - change: A command that runs after the block in which a file is made.
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

    /// What is fenced as `sh` on the page, in its order.
    private static func blocks() throws -> [String] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/verify.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.components(separatedBy: "\n```sh\n").dropFirst().compactMap { part in
            part.components(separatedBy: "```\n").first
        }
    }
}
