import Domain
import Ground

/// The rules about the contents of files: references, source maps, service workers, secrets.
struct ContentRules {
    private let subject: LintSubject
    private let rules: LintRules
    private let resolver: ReferenceResolver
    private let paths: Set<TreePath>
    /// The URL paths that the uploaded `files.json` maps.
    private let mapped: Set<String>
    /// The source maps without the usual extension, as named by comments.
    private var sourceMaps: Set<TreePath> = []
    /// The number of references that may still be followed.
    private var allowance: Int

    init(_ subject: LintSubject, rules: LintRules) {
        self.subject = subject
        self.rules = rules
        allowance = rules.references
        resolver = ReferenceResolver(urlPrefix: subject.urlPrefix)
        paths = Set(subject.tree.files.map(\.path) + [.appConfig, .fileMap])
        mapped = Set(subject.fileMap.map(\.key))
    }

    mutating func check(
        _ file: TreeFile, read: Linter.Reader, into findings: inout FindingList
    ) throws(PlatformError) {
        let type = MediaType(of: file.path)
        let named = file.path.parts.last.map { String(decoding: $0.utf8.map(ASCII.lowercased), as: UTF8.self) } ?? ""
        let isMap = MediaType.fileExtension(of: file.path) == "map"
        if isMap { addSourceMap(at: file.path, to: &findings) }
        if Self.workerNames.contains(named) {
            findings.add(
                .serviceWorker, file.path,
                "The name is that of a service worker, which would answer requests instead of the package. Leave the file out."
            )
        }
        guard type?.isText ?? true else { return }
        let bytes = try read(file.content, rules.readBytes)
        var secrets = SecretScanner(bytes)
        let found = secrets.scan()
        for kind in SecretScanner.Kind.allCases where found.contains(kind) {
            findings.add(
                .secret, file.path,
                "The file seems to contain \(kind.rawValue), which every device can read. Remove it, and revoke it if it is "
                    + "secret.")
        }
        guard let facts = facts(of: bytes, type: type) else { return }
        checkReferences(facts, of: file.path, into: &findings)
        checkCode(facts, of: file.path, into: &findings)
    }

    /// Adds the findings that depend on all files.
    func finish(into findings: inout FindingList) {
        for path in sourceMaps.sorted() { addSourceMap(at: path, to: &findings) }
    }

    private func addSourceMap(at path: TreePath, to findings: inout FindingList) {
        findings.add(
            .sourceMap, path,
            "A source map makes the package larger and shows the source to everyone. Build without it, or leave it out."
        )
    }

    private func facts(of bytes: [UInt8], type: MediaType?) -> FileFacts? {
        var facts = FileFacts(limit: rules.referencesPerFile)
        switch type?.essence {
        case "text/html", "application/xhtml+xml", "image/svg+xml":
            var scanner = PageScanner(bytes)
            scanner.scan(into: &facts)
        case "text/css":
            var scanner = StyleScanner(bytes)
            scanner.scan(into: &facts)
        case "text/javascript":
            var scanner = ScriptScanner(bytes)
            scanner.scan(into: &facts)
        default: return nil
        }
        return facts
    }

    // MARK: References

    private mutating func checkReferences(_ facts: FileFacts, of path: TreePath, into findings: inout FindingList) {
        let base = resolver.base(of: path, saying: facts.base)
        var seen: Set<String> = []
        for reference in facts.references where seen.insert(reference.text).inserted {
            // A module specifier without this prefix is not a path (HTML §8.1.5.2).
            if reference.use == .module, !["./", "../"].contains(where: { reference.text.utf8.starts(with: $0.utf8) }) {
                continue
            }
            guard allowance > 0 else { return }
            allowance -= 1
            switch resolver.resolve(reference.text, from: base) {
            case .other: continue
            case .insecure:
                let problem = reference.use == .link ? "is a link" : "is loaded"
                findings.add(
                    .insecureReference, path,
                    "'\(Self.shown(reference.text))' \(problem) without encryption, which devices refuse. Use https, or put it "
                        + "into the package.")
            case .inside(let target, let url):
                guard !paths.contains(target), !mapped.contains(url) else { continue }
                guard reference.use != .link || MediaType(of: target) != nil else { continue }
                findings.add(
                    .referenceMissing, path,
                    "'\(Self.shown(reference.text))' is not in the package. Add '\(ShownText.of(target.text.utf8))', or correct the reference."
                )
            }
        }
    }

    /// Returns a reference without its query and without user name and password, which may be secrets.
    private static func shown(_ reference: String) -> String {
        var bytes = Array(reference.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        let marks = Array("://".utf8)
        if let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: marks) }) {
            let host = scheme + marks.count
            let end = bytes[host...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
            if let at = bytes[host..<end].lastIndex(of: UInt8(ascii: "@")) { bytes.removeSubrange(host...at) }
        }
        return ShownText.of(bytes)
    }

    private mutating func checkCode(_ facts: FileFacts, of path: TreePath, into findings: inout FindingList) {
        if facts.registersServiceWorker {
            findings.add(
                .serviceWorker, path,
                "The file registers a service worker, which would answer requests instead of the package. Build without it."
            )
        }
        if facts.holdsSourceMap { addSourceMap(at: path, to: &findings) }
        let base = resolver.base(of: path, saying: nil)
        for reference in facts.sourceMaps {
            guard case .inside(let target, _) = resolver.resolve(reference, from: base), paths.contains(target),
                MediaType.fileExtension(of: target) != "map"
            else { continue }
            sourceMaps.insert(target)
        }
    }

    private static let workerNames: Set<String> = [
        "sw.js", "service-worker.js", "serviceworker.js", "service_worker.js", "firebase-messaging-sw.js",
    ]
}
