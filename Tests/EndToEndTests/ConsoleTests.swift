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

        @Test func `a command line acts as the person who agrees on its page, until it signs out`() throws {
            try run("command_line")
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

        @Test func `the app opened second is not replaced by the late response about the first`() throws {
            try run("second_app")
        }

        @Test func `an upload ends when its person signs out`() throws {
            try run("uploads_end_with_the_session")
        }

        @Test func `an operator widens, pauses, resumes, halts and rolls back, and sees the consequence before`() throws
        {
            try run("course_of_a_release")
        }

        @Test func `a release that was stopped before its start never began`() throws {
            try run("stopped_before_its_start")
        }

        @Test func `a release to a part of a city is planned in four steps, widened, completed and rolled back`()
            throws
        {
            try run("release_to_a_city")
        }

        @Test func `a plan to a part of a city goes on to everyone, and an operator drops the rules earlier`() throws {
            try run("beyond_the_rules")
        }

        @Test func `the packages of a release are chosen without a mouse, and the focus goes on`() throws {
            try run("packages_by_keyboard")
        }

        @Test func `a pre-release preselects no channel`() throws {
            try run("prerelease_without_a_channel")
        }

        @Test func `two people see each other's changes, and an outdated change is refused with both states`() throws {
            try run("two_browsers")
        }

        @Test func `a release on a protected channel waits for a second person, who sees what it does`() throws {
            try run("approval")
        }

        @Test func `what a role may not do is disabled with the reason`() throws {
            try run("roles")
        }

        @Test func `a zip is checked before it is published, and a refused one costs nothing`() throws {
            try run("upload_with_lint")
        }

        @Test func `the page of a device says why it has what it has`() throws {
            try run("device_explanation")
        }

        @Test func `somebody signs in and releases with the keyboard alone`() throws {
            try run("keyboard_only")
        }

        @Test func `each page is accessible in both themes and languages, wide and narrow, and shows markup as text`()
            throws
        {
            try run("every_page")
        }

        @Test func `no page loads more JavaScript or CSS than its limit in source form`() throws {
            try run("size_of_the_code")
        }
    }
}
