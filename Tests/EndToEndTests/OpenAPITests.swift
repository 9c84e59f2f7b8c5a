import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the description of the operators' API with programs that read it, by the script `openapi.py`.
    @Suite struct OpenAPITests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/openapi.py").path

        /// The time limit, far above the usual minute, because a busy machine is no failure.
        private static let patience = Duration.seconds(420)

        private func run(_ scenario: String) throws {
            let folder = "\(ScratchDirectory.path)/\(scenario)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let server = try Server()
            let outcome = try Program.run(
                ["python3", Self.script, scenario, server.base, server.token, folder], upTo: Self.patience)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput) \(server.log)")
        }

        @Test func `the description is valid by the schema of OpenAPI`() throws {
            try run("validate")
        }

        @Test func `no response to generated requests is undescribed, and none is a fault of the server`() throws {
            try run("fuzz")
        }

        @Test func `a generated client publishes, releases and lists`() throws {
            try run("client")
        }
    }
}
