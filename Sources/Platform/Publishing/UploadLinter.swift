import Domain

/// Looks an upload over while its files are staged.
struct UploadLinter {
    let workshop: any PackageWorkshop

    /// What is to be said of a version that is about to be published; throws `badPackage` at the first error.
    ///
    /// Blocks.
    /// - Parameter released: What devices have now; `nil` where there is nothing to compare with.
    func warnings(
        of version: Version, since released: Version?, in staging: any BlobStaging
    ) throws(PlatformError) -> [LintFinding] {
        let before = released.map { version in
            Dictionary(version.tree.files.map { ($0.path, $0.content.size) }) { _, last in last }
        }
        let subject = LintSubject(
            tree: version.tree, entry: version.entry, urlPrefix: version.urlPrefix, fileMap: version.uploaded.fileMap,
            before: before)
        let findings = try Linter().findings(in: subject) { (content, limit) throws(PlatformError) in
            try workshop.beginning(of: content, from: staging, upTo: limit)
        }
        if let error = findings.first(where: { $0.severity == .error }) {
            throw PlatformError(
                .badPackage, error.message, entry: error.path?.text, reason: error.code.rawValue)
        }
        return findings
    }
}
