import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the command that shows the audit log.
    @Suite struct AuditTests {
        private func audit(_ server: Server, _ words: String...) throws -> Program.Outcome {
            try Program.run([Larder.path, "audit"] + words, environment: server.environment)
        }

        private func lines(_ outcome: Program.Outcome) throws -> [Substring] {
            try #require(outcome.status == 0, "\(outcome.errorOutput)")
            return outcome.output.split(separator: "\n")
        }

        @Test func `the log is shown with filters, page by page or as a whole`() throws {
            let server = try Server()
            for number in 1...7 { try server.putPackage("package-\(number)-\(String(repeating: "x", count: 40))") }
            let puts = try lines(audit(server, "--action", "package.*"))
            #expect(puts.count == 7 && puts[0].contains("package-7-") && puts[0].contains("initial (#1)"), "\(puts)")
            let all = try lines(audit(server))
            #expect(all.count > 7 && all.contains { $0.contains("app.create") })

            #expect(try lines(audit(server, "--action", "package.put", "--limit", "3")).count == 3)
            let whole = try lines(audit(server, "--action", "package.put", "--limit", "3", "--all"))
            #expect(whole == puts)
            let pages = try lines(audit(server, "--action", "package.put", "--limit", "3", "--all", "--json"))
            #expect(pages.count == 3 && pages.allSatisfy { $0.hasPrefix("{\"entries\":[") }, "\(pages)")
            let one = try lines(
                audit(server, "--actor", "initial (#1)", "--object", "package-1-" + String(repeating: "x", count: 40)))
            #expect(one == puts.suffix(1))
            #expect(try lines(audit(server, "--since", "2999-01-01T00:00:00Z")).isEmpty)
        }

        @Test func `a wrong filter is refused with what is allowed`() throws {
            let outcome = try audit(try Server(), "--action", "package.putt")
            #expect(outcome.status == 2 && outcome.errorOutput.contains("package.put,"), "\(outcome.errorOutput)")
        }
    }
}
