import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the console in Chromium by the script `console.py`, which names each step that fails.
    @Suite struct ConsoleTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/console.py").path

        /// The time limit, far above the half minute of a scenario, because a busy machine is no failure.
        private static let patience = Duration.seconds(420)

        private func run(_ scenario: String, options: [String] = []) throws {
            let server = try Server(options: ["--operator-requests-per-second", "0"] + options)
            let outcome = try Program.run(
                ["python3", Self.script, scenario, server.base, server.token], upTo: Self.patience)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput) \(server.log)")
        }

        @Test func `an operator releases to a percentage, widens, pauses, halts, completes and rolls back`() throws {
            try run("course_of_a_release")
        }

        @Test func `the page never chooses a pre-release, nor a channel for one`() throws {
            try run("pre_release")
        }

        @Test func `a publisher's release buttons are disabled and state the reason`() throws {
            try run("roles")
        }

        @Test func `versions and releases come in pages of 25`() throws {
            try run("pages")
        }

        @Test func `a failure states a remedy, and the form keeps the entered values`() throws {
            try run("failures")
        }

        @Test func `a dialog states the change that it makes, and an outcome is never lost`() throws {
            try run("races")
        }

        @Test func `a change that costs devices another package is refused before it is confirmed`() throws {
            try run("losses")
        }

        @Test func `settings are saved only as they were seen, and updates are turned off in a dialog`() throws {
            try run("settings")
        }

        @Test func `the reference of the API shows every operation, and is searched`() throws {
            try run("reference")
        }

        @Test func `the page holds its width and its contrast, and shows text as text`() throws {
            try run("widths")
        }
    }
}
