import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests the command that shows the audit log.
    @Suite struct AuditTests {
        private func audit(_ server: Server, _ words: String..., columns: Int? = nil) throws -> Program.Outcome {
            var environment = server.environment
            environment["COLUMNS"] = columns.map(String.init)
            return try Program.run([Larder.path, "audit"] + words, environment: environment)
        }

        private func lines(_ outcome: Program.Outcome) throws -> [Substring] {
            try #require(outcome.status == 0, "\(outcome.errorOutput)")
            return outcome.output.split(separator: "\n")
        }

        @Test func `the log is shown with filters, as a table that fits, page by page or as a whole`() throws {
            let server = try Server()
            for number in 1...7 { try server.putPackage("package-\(number)-\(String(repeating: "x", count: 40))") }
            let puts = try lines(audit(server, "--action", "package.*"))
            #expect(puts.count == 7 && puts[0].contains("package-7-") && puts[0].contains("initial (#1)"), "\(puts)")
            let narrow = try lines(audit(server, columns: 80))
            #expect(narrow.allSatisfy { $0.count <= 80 } && narrow.contains { $0.count > 70 }, "\(narrow)")
            #expect(narrow.count > 7 && narrow.contains { $0.contains("app.create") })

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
