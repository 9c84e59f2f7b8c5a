import Foundation
import TestKit
import Testing

extension EndToEnd.Alone {
    /// Tests two nodes whose parts fail; `make soak-cluster` does the same for ten minutes.
    @Suite struct ClusterTests {
        @Test func `nodes, their database and their bucket fail one after the other, and nothing is lost`() throws {
            let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let run = try ToolRun(
                [
                    "env", "LARDER_PROGRAM=\(Larder.path)", "python3",
                    repository.appending(path: "scripts/soak-cluster").path, "--seconds", "60", "--devices", "50",
                    "--seed", "1",
                ], in: ScratchDirectory.path, readsErrors: true)
            #expect(run.status == 0, "\(String(decoding: run.output, as: UTF8.self))")
        }
    }
}
