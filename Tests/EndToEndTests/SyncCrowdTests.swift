import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests many concurrent processes of `larder sync` by the script `sync_crowd.py`, which describes its checks.
    @Suite struct SyncCrowdTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/sync_crowd.py").path

        /// The time limit, far above the half minute that it takes, because a busy machine is no failure.
        private static let patience = Duration.seconds(420)

        @Test func `20 devices get whole copies and never an older config while versions change`()
            throws
        {
            let server = try Server()
            let folder = "\(ScratchDirectory.path)/crowd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let outcome = try Program.run(
                ["python3", Self.script, Larder.path, server.base, server.token, folder], upTo: Self.patience)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput) \(server.log)")
        }
    }
}
