import API
import Domain
import FoundationEssentials
import HTTP
import Testing

/// Compares the lists in docs/api.md with the code, in both directions.
struct DocumentedListTests {
    private static let page: String = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        return (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    }()

    @Test func `every error code is documented with its status, and no other`() throws {
        let start = try #require(Self.page.firstRange(of: "\n## Errors\n"))
        let end = Self.page[start.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? Self.page.endIndex
        var documented: [String: String] = [:]
        for row in Self.page[start.upperBound..<end].split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" } }
            guard cells.count > 1, Int(cells[1]) != nil else { continue }
            #expect(documented.updateValue(cells[1], forKey: cells[0]) == nil, "\(cells[0]) is there twice")
        }
        let codes = PlatformError.Code.allCases.map { ($0.rawValue, String($0.status.code)) }
        #expect(documented == Dictionary(uniqueKeysWithValues: codes))
    }

    @Test func `every audit action is documented, and no other`() throws {
        let start = try #require(Self.page.firstRange(of: "\nActions: "))
        let end = try #require(Self.page[start.upperBound...].firstRange(of: "\n\n"))
        let parts = Self.page[start.upperBound..<end.lowerBound].split(separator: "`", omittingEmptySubsequences: false)
        let documented = stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }.filter { $0.contains(".") }
        #expect(Set(documented).count == documented.count)
        #expect(Set(documented).symmetricDifference(AuditAction.allCases.map(\.rawValue)) == [])
    }
}
