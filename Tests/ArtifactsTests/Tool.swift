import ArtifactsProbe
import Foundation
import Ground

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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: [UInt8](output))
    }
}
