import Domain
import Ground
import Linting
import Testing

/// A package written as texts, and the findings of a linter.
struct LintSample {
    var files: [(path: String, text: String)]
    var entry: String? = "index.html"
    var urlPrefix = "/"
    var rules = LintRules()
    var before: [String: Int]?
    var fileMap: [UploadedDescriptors.Mapping] = []

    init(_ files: KeyValuePairs<String, String>) {
        self.files = files.map { ($0.key, $0.value) }
        if !self.files.contains(where: { $0.path == "index.html" }) { self.files.append(("index.html", "<p>")) }
    }

    func findings() throws -> [LintFinding] { try result().findings }

    /// - Parameter waivers: The waivers as codes with an optional path.
    func result(waiving waivers: [(LintFinding.Code, String?)] = []) throws -> LintResult {
        var bytes: [SHA256Digest: [UInt8]] = [:]
        let tree = Tree(
            try files.map { file in
                let content = Array(file.text.utf8)
                let digest = try Self.digest(of: content)
                bytes[digest] = content
                return TreeFile(
                    path: try TreePath(file.path),
                    content: FileContent(digest: digest, size: content.count, crc32: 0, deflated: nil))
            })
        let subject = LintSubject(
            tree: tree, entry: try entry.map { try TreePath($0) }, urlPrefix: try #require(URLPrefix(urlPrefix)),
            fileMap: fileMap,
            before: try before.map { sizes in
                Dictionary(uniqueKeysWithValues: try sizes.map { (try TreePath($0.key), $0.value) })
            })
        let fine = try waivers.map { code, path in
            LintWaiver(
                code: code, path: try path.map { try TreePath($0) }, reason: "known", actor: "me",
                time: Timestamp(milliseconds: 0))
        }
        return try Linter(rules: rules).inspect(subject, waivers: fine) { (content, limit) throws(PlatformError) in
            Array((bytes[content.digest] ?? []).prefix(limit))
        }
    }

    /// Returns `code path` of each finding, or only the code.
    func found() throws -> [String] {
        try findings().map { finding in finding.code.rawValue + (finding.path.map { " \($0)" } ?? "") }
    }

    /// Returns the messages of the findings with a code.
    func messages(_ code: LintFinding.Code) throws -> [String] {
        try findings().filter { $0.code == code }.map(\.message)
    }

    /// Returns a substitute digest, which depends on the bytes; Domain cannot compute the real one.
    private static func digest(of bytes: [UInt8]) throws -> SHA256Digest {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return try #require(SHA256Digest(bytes: (0..<32).map { UInt8(truncatingIfNeeded: hash >> (8 * ($0 % 8))) }))
    }
}
