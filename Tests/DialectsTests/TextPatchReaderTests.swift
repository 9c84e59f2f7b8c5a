import ArtifactsProbe
import Domain
import Foundation
import Ground
import ServiceKit
import TestKit
import Testing

/// Tests that other programs can apply text patches (clients.md P14).
struct TextPatchReaderTests {
    @Test(arguments: [["python3", "apply_text_patches.py"], ["node", "apply_text_patches.js"]])
    func `other readers make the exact new texts of them`(reader: [String]) throws {
        let folder = try ScratchFolder()
        var cases: [JSON] = []
        for seed in 0..<150 {
            for (old, new) in TextPairs(seed: UInt64(seed)).pairs where old != new {
                let patch = textPatch(from: Array(old.utf8), to: Array(new.utf8), limit: TextPairs.limit)
                cases.append(
                    .object(["old": .string(old), "new": .string(new), "patch": .string(try #require(patch))]))
            }
        }
        try folder.write(JSON.array(cases).bytes(), to: "cases.json")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/\(reader[1])").path
        let run = try ToolRun([reader[0], script, "cases.json"], in: folder.path)
        let text = String(decoding: run.output, as: UTF8.self)
        #expect(text == "\(cases.count)\n")
    }
}
