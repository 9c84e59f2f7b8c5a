import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the console in Chromium by the scenarios in `Tests/EndToEnd/console`, which name each step that fails.
    @Suite struct ConsoleTests {
        private static let scenarios = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/console").path

        /// The time limit, far above the time of a scenario, because a busy machine is no failure.
        private static let patience = Duration.seconds(600)

        private func run(_ scenario: String) throws {
            let outcome = try Program.run(
                ["python3", Self.scenarios, scenario, Larder.path, ScratchDirectory.path], upTo: Self.patience)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        }

        @Test func `the first token makes the first admin, and the page sees the first device`() throws {
            try run("first_run")
        }

        @Test func `a person signs in with a second factor, whose code works once`() throws {
            try run("second_factor")
        }

        @Test func `a wrong password is refused, and the name stays`() throws {
            try run("wrong_password")
        }

        @Test func `a session that ends in the middle of a form costs nothing that was typed`() throws {
            try run("ended_session")
        }

        @Test func `a page says that its server has stopped, and is live again afterwards`() throws {
            try run("lost_server")
        }

        @Test func `a form that is saved without a network keeps its entries`() throws {
            try run("offline_browser")
        }

        @Test func `each page is accessible in both themes and languages, wide and narrow, and shows markup as text`()
            throws
        {
            try run("every_page")
        }

        @Test func `no page loads more than 120 KB of JavaScript`() throws {
            try run("size_of_the_code")
        }
    }
}
