import ArtifactsProbe
import Foundation
import Ground
import TestKit

/// A program of the system that tests compare with.
enum Tool {
    struct Outcome {
        let status: Int32
        let output: [UInt8]

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    static func isInstalled(_ name: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Runs a program to its end; the output includes standard error.
    static func run(_ arguments: [String], in folder: ScratchFolder) throws -> Outcome {
        let run = try ToolRun(arguments, in: folder.path, readsErrors: true)
        return Outcome(status: run.status, output: run.output)
    }
}
