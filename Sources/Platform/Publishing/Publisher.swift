package import Domain
package import Execution
import Ground

/// The only pipeline that creates versions: receive, inspect, stage, build, sign, commit.
///
/// The last step, one transaction, makes the version visible. Staged files of a failed run are removed with the
/// staging, or at the next start.
package final class Publisher: Sendable {
    let live: LiveApps
    let store: any PackageStore & VersionStore & ArtifactStore & WaiverStore
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let workshop: any PackageWorkshop
    private let cryptography: any Cryptography
    private let work: WorkExecutor
    private let clock: any WallClock
    package let limits: PackageLimits
    /// A gate for builds, each of which occupies memory and a core.
    private let builds = AsyncGate(width: 2)

    package init(
        live: LiveApps, store: any PackageStore & VersionStore & ArtifactStore & WaiverStore, keys: KeyRing,
        blobs: any BlobStore, workshop: any PackageWorkshop, cryptography: any Cryptography, work: WorkExecutor,
        clock: any WallClock, limits: PackageLimits
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.workshop = workshop
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
        self.limits = limits
    }

    /// Publishes a zip that arrives in pieces.
    ///
    /// An existing version is read and inspected in full as well: only then is it known whether the content is equal,
    /// and the client has sent its whole body when the response arrives.
    ///
    /// Throws `badPackage`, `bodyTooLarge`, `versionExists`, `storageFull`, and the errors of `next`.
    ///
    /// - Parameter next: Returns the next piece of the zip; `nil` at its end.
    package func publish(
        _ request: Request, by author: Operator, next: () async throws(PlatformError) -> [UInt8]?
    ) async throws(PlatformError) -> Outcome {
        try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            let upload = try await receive(into: staging, next: next)
            return try await publish(request, whole: upload, staging: staging, by: author)
        }
    }

    /// Publishes a complete zip, which must stay until this returns; throws like the variant for pieces.
    package func publish(
        _ request: Request, from upload: ReceivedZip, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            try await publish(request, whole: upload, staging: staging, by: author)
        }
    }

    /// Publishes files that the server has generated; throws like the variant for pieces.
    func publish(
        _ request: Request, of files: [TreePath: [UInt8]], by author: Operator
    ) async throws(PlatformError) -> Outcome {
        try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            let upload = try await work.run { () throws(PlatformError) in
                var staged: [TreeFile] = []
                for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
                    staged.append(TreeFile(path: path, content: try workshop.stage(bytes, into: staging)))
                }
                let zip = try workshop.buildZip(staged, into: staging)
                let content = FileContent(digest: zip.digest, size: zip.size, crc32: 0, deflated: nil)
                let file = try staging.newScratch()
                try file.append(try workshop.read(content, from: staging, upTo: limits.uploadBytes))
                return ReceivedZip(path: file.path, size: file.size)
            }
            return try await publish(request, whole: upload, staging: staging, by: author)
        }
    }

    private func publish(
        _ request: Request, whole upload: ReceivedZip, staging: any BlobStaging, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        guard upload.size > 0 else {
            throw PlatformError(.badPackage, "The request has no body. Send the zip as the body.", reason: "not-a-zip")
        }
        return try await builds.pass { () throws(PlatformError) in
            try await publish(request, upload: upload, staging: staging, by: author)
        }
    }

    private func receive(
        into staging: any BlobStaging, next: () async throws(PlatformError) -> [UInt8]?
    ) async throws(PlatformError) -> ReceivedZip {
        let file = try await work.run { () throws(PlatformError) in try staging.newScratch() }
        while let piece = try await next() {
            guard file.size + piece.count <= limits.uploadBytes else {
                throw PlatformError(zipLargerThan: limits.uploadBytes)
            }
            try await work.run { () throws(PlatformError) in try file.append(piece) }
        }
        return ReceivedZip(path: file.path, size: file.size)
    }

    private func publish(
        _ request: Request, upload: ReceivedZip, staging: any BlobStaging, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        let package = request.package
        try await requireDependencies(of: request)
        let inspector = UploadInspector(
            workshop: workshop, cryptography: cryptography, limits: limits,
            waivers: try await store.waivers(of: package.id, in: package.app))
        let now = clock.now()
        let version = try await work.run { () throws(PlatformError) in
            try inspector.version(of: request, in: upload, at: now, staging: staging)
        }
        let identity = cryptography.sha256(version.identityBytes)
        let before = try await known(version, identity: identity, request.ifExists)
        if before != nil, !request.isDryRun {
            // The response names the archive, so a later release of the version must find it.
            let archives = try await store.archives(of: version.version, of: package.id, in: package.app)
            try await live.noteNamed(archives, of: try live.requireApp(package.app))
        }
        if let before, request.ifExists == .accept { return .exists(before.summary, isSame: before.isSame) }

        let released = try await released(package)
        let findings = try await work.run { () throws(PlatformError) in
            try inspector.findings(in: version, entry: package.entry, since: released, staging: staging)
        }
        if let before { return .unchanged(before.summary, findings) }
        try await requireOrder(of: request)
        try await work.run { () throws(PlatformError) in try requireFit(of: version, for: package) }
        let full = try await work.run { () throws(PlatformError) in
            try LayoutBuilder(workshop: workshop).archive(of: version, by: cryptography, staging: staging)
        }
        let summary = VersionSummary(
            version: version.version, treeHash: version.treeHash, fileCount: version.tree.files.count,
            totalSize: version.tree.totalSize, archiveSize: full.size, createdAt: version.createdAt,
            details: request.details)
        if request.isDryRun { return .possible(summary, findings) }

        try await work.run { () throws(PlatformError) in try staging.commit() }
        let audit = author.audit(
            .publishVersion, "\(version.package)@\(version.version)", in: version.app, at: version.createdAt,
            [.init("tree", .string(version.treeHash.hex)), .init("bytes", .integer(Int64(upload.size)))],
            change: .created(summary.auditMembers))
        do throws(PlatformError) {
            try await commit(
                version, of: request, findings, identity: identity, full: full, staging.records, audit)
        } catch {
            // A concurrent request may have published equal content.
            guard error.code == .versionExists,
                let other = try await known(version, identity: identity, request.ifExists)
            else { throw error }
            return request.ifExists == .accept
                ? .exists(other.summary, isSame: other.isSame) : .unchanged(other.summary, findings)
        }
        // A removed version that is published again may be retired.
        let kept = try await store.summary(of: version.version, of: version.package, in: version.app)
        return .published(kept ?? summary, findings)
    }

    /// Throws `badPackage` if the version does not fit a dialect of the package; takes a while with many files.
    private func requireFit(of version: Version, for package: Package) throws(PlatformError) {
        guard let problem = live.dialects.problem(with: version, of: package) else { return }
        throw PlatformError(
            .badPackage, problem.message, entry: problem.path?.text, reason: PlatformError.dialectReason)
    }

    private func commit(
        _ version: Version, of request: Request, _ findings: LintResult,
        identity: SHA256Digest, full: Artifact,
        _ blobs: [BlobRecord], _ audit: AuditEntry
    ) async throws(PlatformError) {
        let settings = request.package
        let app = try live.requireApp(version.app)
        try await keys.makeLegacy(of: app)
        try await live.alone(with: app) { () throws(PlatformError) in
            let package = try await store.package(version.package, in: version.app)
            guard let package, package.entry == settings.entry, package.urlPrefix == settings.urlPrefix,
                package.dialects.isSubset(of: settings.dialects), package.resources == settings.resources
            else {
                throw PlatformError(
                    .conflict,
                    "The package's 'entry', 'urlPrefix', 'dialects' or 'resources' changed during the upload. Publish the zip "
                        + "again.")
            }
            // Another version may have been published or released since the first check.
            try await requireOrder(of: request)
            try await store.publish(
                version, request.details, findings: findings, identity: identity, full: try await keys.sign(full),
                blobs: blobs, audit: audit)
        }
    }

    /// Returns the version that devices on `production` get now, for comparison; `nil` if there is none.
    private func released(_ package: Package) async throws(PlatformError) -> Version? {
        let view = try live.requireApp(package.app).view(of: .production)
        guard let current = view?.entries.first(where: { $0.package.id == package.id })?.current else { return nil }
        return try await store.version(current.release.version, of: package.id, in: package.app)
    }

    /// Returns the existing version and whether its content is equal; `nil` if there is none with files.
    ///
    /// Throws `versionExists` if the content differs and the request does not accept that, or if the name differs only
    /// in case.
    private func known(
        _ version: Version, identity: SHA256Digest, _ ifExists: IfExists
    ) async throws(PlatformError) -> (summary: VersionSummary, isSame: Bool)? {
        let (app, package) = (version.app, version.package)
        guard let publication = try await store.publication(of: version.version, of: package, in: app) else {
            return nil
        }
        guard publication.version == version.version else {
            throw PlatformError(
                .versionExists,
                "Version \(publication.version) of '\(package)' is published already, and differs from "
                    + "\(version.version) only in case. Publish under a new version.")
        }
        let isSame = publication.identity == identity
        guard isSame || (ifExists == .accept && publication.prunedAt == nil) else {
            throw PlatformError(
                .versionExists,
                "Version \(publication.version) of '\(package)' is published already, with other content. A "
                    + "version never changes. Publish this content under a new version.")
        }
        // A removed version is published like a new one.
        guard publication.prunedAt == nil else { return nil }
        return try await store.summary(of: version.version, of: package, in: app).map { ($0, isSame) }
    }
}
