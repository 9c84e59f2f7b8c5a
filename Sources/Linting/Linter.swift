package import Domain
import Ground

/// A linter that checks a package before it is published; its findings depend on the files only.
///
/// The time is proportional to the bytes read and to the followed references, whose number is bounded. At most
/// ``LintRules/readBytes`` of one file are in memory.
package struct Linter: Sendable {
    package let rules: LintRules

    package init(rules: LintRules = LintRules()) { self.rules = rules }

    /// A function that returns the first bytes of a file, up to the limit.
    package typealias Reader = (_ content: FileContent, _ limit: Int) throws(PlatformError) -> [UInt8]

    /// Returns the findings by code, and of one code by path; throws the errors of `read`.
    package func findings(in subject: LintSubject, read: Reader) throws(PlatformError) -> [LintFinding] {
        try inspect(subject, waivers: [], read: read).findings
    }

    /// Returns the findings by code, and of one code by path, without waived ones; throws the errors of `read`.
    package func inspect(
        _ subject: LintSubject, waivers: [LintWaiver], read: Reader
    ) throws(PlatformError) -> LintResult {
        var findings = FindingList(limit: rules.findingsPerCode, waivers: waivers)
        if let entry = subject.entry, subject.tree[entry] == nil {
            findings.add(
                .entryMissing, entry,
                "The entry page is not in the package. Add it, or set another entry page.")
        }
        var pages = ContentRules(subject, rules: rules)
        for file in subject.tree.files {
            check(file, into: &findings)
            try pages.check(file, read: read, into: &findings)
        }
        pages.finish(into: &findings)
        checkDuplicates(in: subject.tree, into: &findings)
        if let before = subject.before { checkGrowth(of: subject.tree, since: before, into: &findings) }
        return findings.result
    }

    private func check(_ file: TreeFile, into findings: inout FindingList) {
        let path = file.path
        if path.text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "%#?".utf8.contains($0) }) {
            findings.add(
                .nameUnsafe, path,
                "The name differs in a URL. Use only ASCII letters, digits, '-', '_' and '.'.")
        }
        if let fileExtension = MediaType.fileExtension(of: path), MediaType(of: path) == nil {
            let shown = ShownText.of(fileExtension.utf8)
            findings.add(
                .typeUnknown, path,
                "No media type is known for '.\(shown)', so the file is served as application/octet-stream. Use a common "
                    + "extension, or leave the file out.")
        }
        if file.content.size > rules.fileBytes {
            findings.add(
                .fileTooLarge, path,
                "The file has \(ByteCount.text(file.content.size)), over the recommended \(ByteCount.text(rules.fileBytes)). "
                    + "Split it, compress it, or load it from the network.")
        }
    }
}
