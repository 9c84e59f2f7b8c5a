import Foundation
import TestKit

/// Small packages that tests create.
enum SamplePackage {
    /// Creates a folder with an entry page and the given files, and returns its path.
    static func folder(_ name: String, _ files: [String: Data] = [:]) throws -> String {
        let root = "\(ScratchDirectory.path)/\(name)"
        var files = files
        files["index.html"] = files["index.html"] ?? Data("<h1>\(name)</h1>".utf8)
        for (path, bytes) in files {
            let url = URL(fileURLWithPath: "\(root)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: url)
        }
        return root
    }

    /// Packs a folder with another program, and returns the zip's bytes.
    static func zip(_ folder: String) throws -> [UInt8] {
        let zip = "\(ScratchDirectory.path)/\(UUID().uuidString).zip"
        try Program.succeed(["python3", "-m", "zipfile", "-c", zip, "\(folder)/."])
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: zip)))
    }

    /// Returns incompressible bytes, which depend on the seed.
    static func noise(_ count: Int, seed: UInt64) -> Data {
        var state = seed
        var words: [UInt64] = []
        words.reserveCapacity(count / 8 + 1)
        for _ in 0...(count / 8) {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            words.append(word ^ (word >> 31))
        }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }
}
