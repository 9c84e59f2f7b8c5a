import Dialects
import Domain
import Testing

/// Made-up values for tests of dialects.
enum Sample {
    static let dialects = DialectList(allDialects())

    static func package(_ text: String = "news") throws -> PackageID { try #require(PackageID(text)) }
    static func version(_ text: String) throws -> VersionString { try #require(VersionString(text)) }

    /// Returns a tree whose files all have the same content.
    static func tree(_ paths: String...) throws -> Tree {
        let digest = try #require(SHA256Digest(bytes: Array(repeating: 1, count: 32)))
        let content = FileContent(digest: digest, size: 10, crc32: 7, deflated: nil)
        return Tree(try paths.map { TreeFile(path: try TreePath($0), content: content) })
    }
}
