import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the commands of the tour in README.md as they stand.
    @Suite struct TourTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()

        /// Returns the shell blocks of the tour, without the one that starts the server.
        private func blocks() throws -> [String] {
            let page = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
            let tour = try #require(page.components(separatedBy: "## A tour of five minutes").last)
                .components(separatedBy: "\n## ")[0]
            let blocks = tour.components(separatedBy: "```sh\n").dropFirst().compactMap {
                $0.components(separatedBy: "```").first
            }
            try #require(blocks.first == "make serve\n")
            return Array(blocks.dropFirst())
        }

        @Test func `the tour works as it stands, by the command line alone`() throws {
            let server = try Server()
            let scratch = ScratchDirectory.path
            // Only the port and the folders differ, because tests run side by side.
            let tour = try blocks().joined(separator: "\n")
            #expect(!tour.contains("curl") && !tour.contains("python"))
            let script =
                "set -eu\n"
                + tour.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)")
                .replacing("/tmp/", with: "\(scratch)/tour/")
            let folder = "\(scratch)/tour"
            try FileManager.default.createDirectory(
                atPath: "\(folder)/.build/release", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/.build/release/larder", withDestinationPath: Larder.path)
            try Data(script.utf8).write(to: URL(fileURLWithPath: "\(folder)/tour.sh"))
            let outcome = try Program.run(
                ["bash", "-c", "cd \(folder) && exec bash -m tour.sh < \(Server.defaultData)/initial-token"],
                environment: ["LARDER_SERVER": server.base])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
            for part in [
                "signed in to ", "created the package news", "published news 1.0.0", "news: gets 1.0.0",
                "<h1>More news</h1>", "Rolling out:\nnews  3  1.2.0", "would end 3 (1.2.0)", "ended 3 (1.2.0)",
                "1.1.0 applied: ", "release.rollback",
            ] {
                #expect(outcome.output.contains(part), "\(part): \(outcome.output)\(outcome.errorOutput)")
            }
        }
    }
}
