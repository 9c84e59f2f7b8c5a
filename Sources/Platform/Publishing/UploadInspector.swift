import Domain
import Ground
import Linting

/// An inspector that makes a version of an upload, stages its files, and lints it.
struct UploadInspector {
    let workshop: any PackageWorkshop
    let cryptography: any Cryptography
    let limits: PackageLimits
    let waivers: [LintWaiver]

    /// Returns the version that the zip contains and stages its files; throws `badPackage`.
    ///
    /// Blocks.
    func version(
        of request: Publisher.Request, in upload: ReceivedZip, at now: Timestamp, staging: any BlobStaging
    ) throws(PlatformError) -> Version {
        let package = request.package
        let urlPrefix = request.urlPrefix ?? package.urlPrefix
        let uploaded = try workshop.unpack(zipAt: upload.path, limits: limits, into: staging)
        let (arranged, entry) = try arrange(uploaded, for: request)
        return Version(
            app: package.app, package: package.id, version: request.version, tree: arranged.tree,
            treeHash: cryptography.treeHash(of: arranged.tree), entry: entry, urlPrefix: urlPrefix,
            uploaded: try arranged.descriptors(entry: entry, urlPrefix: urlPrefix) {
                (content, limit) throws(PlatformError) in try workshop.read(content, from: staging, upTo: limit)
            },
            requirements: request.requirements,
            resources: try resources(of: request, in: arranged.tree, staging: staging),
            createdAt: now)
    }

    /// Returns the resource settings of the request, else of the upload's own `larder.json`; `nil` if both lack them.
    private func resources(
        of request: Publisher.Request, in tree: Tree, staging: any BlobStaging
    ) throws(PlatformError) -> ResourceSettings? {
        if let resources = request.resources { return resources }
        guard let content = tree[.ownSettings]?.content else { return nil }
        let bytes = try workshop.read(content, from: staging, upTo: UploadSettings.maximumBytes)
        return try UploadSettings(bytes).resources
    }

    /// Returns the upload's files and the version's entry; no entry if the package's is missing and that is waived.
    private func arrange(
        _ uploaded: Tree, for request: Publisher.Request
    ) throws(PlatformError) -> (UploadArrangement, TreePath?) {
        let entry = request.package.entry
        do throws(PlatformError) {
            return (try UploadArrangement(uploaded, entry: entry, unwrapping: request.unwrapping), entry)
        } catch {
            let isWaived = waivers.contains { $0.code == .entryMissing && ($0.path == nil || $0.path == entry) }
            guard isWaived, error.reason == LintFinding.Code.entryMissing.rawValue else { throw error }
            return (try UploadArrangement(uploaded, entry: nil, unwrapping: request.unwrapping), nil)
        }
    }

    /// Returns the linter's findings on a version before it is published; throws `badPackage` at the first error.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - entry: The package's entry, which the version may lack.
    ///   - released: The version that devices have now; `nil` if there is none to compare with.
    func findings(
        in version: Version, entry: TreePath?, since released: Version?, staging: any BlobStaging
    ) throws(PlatformError) -> LintResult {
        let before = released.map { version in
            Dictionary(version.tree.files.map { ($0.path, $0.content.size) }) { _, last in last }
        }
        let subject = LintSubject(
            tree: version.tree, entry: entry, urlPrefix: version.urlPrefix, fileMap: version.uploaded.fileMap,
            before: before)
        let result = try Linter().inspect(subject, waivers: waivers) { (content, limit) throws(PlatformError) in
            try workshop.beginning(of: content, from: staging, upTo: limit)
        }
        if let error = result.findings.first(where: { $0.severity == .error }) {
            throw PlatformError(
                .badPackage, error.message, entry: error.path?.text, reason: error.code.rawValue)
        }
        return result
    }
}
