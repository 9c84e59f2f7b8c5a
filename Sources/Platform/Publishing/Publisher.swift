package import Domain
package import Execution

/// The one pipeline by which a version comes into being: receive, inspect, stage, build, sign, commit.
///
/// Nothing is visible before the last step, which is one transaction; what a failure leaves staged goes with the
/// staging, or at the next start.
package final class Publisher: Sendable {
    private let live: LiveApps
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let workshop: any PackageWorkshop
    private let cryptography: any Cryptography
    private let work: WorkExecutor
    private let clock: any WallClock
    package let limits: PackageLimits
    /// Unpacking and building hold memory and a core each.
    private let builds = AsyncGate(width: 2)

    package init(
        live: LiveApps, keys: KeyRing, blobs: any BlobStore, workshop: any PackageWorkshop,
        cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock, limits: PackageLimits
    ) {
        self.live = live
        self.keys = keys
        self.blobs = blobs
        self.workshop = workshop
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
        self.limits = limits
    }

    /// What is to be published, and under which name.
    package struct Request: Sendable {
        package let package: Package
        package let version: VersionString
        package let unwrapping: UploadArrangement.Unwrapping

        package init(package: Package, version: VersionString, unwrapping: UploadArrangement.Unwrapping) {
            self.package = package
            self.version = version
            self.unwrapping = unwrapping
        }
    }

    /// How a publishing ended, when it did not fail.
    package enum Outcome: Sendable {
        case published(VersionSummary, warnings: [LintFinding])
        /// The same content is there already under this version.
        case unchanged(VersionSummary, warnings: [LintFinding])
    }

    /// Publishes a zip that arrives in pieces.
    ///
    /// Throws `badPackage`, `bodyTooLarge`, `versionExists`, `storageFull`, and whatever `next` throws.
    ///
    /// - Parameter next: The next piece of the zip, `nil` at its end.
    package func publish(
        _ request: Request, by author: Operator, next: () async throws(PlatformError) -> [UInt8]?
    ) async throws(PlatformError) -> Outcome {
        try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            let upload = try await receive(into: staging, next: next)
            return try await builds.pass { () throws(PlatformError) in
                try await publish(request, upload: upload, staging: staging, by: author)
            }
        }
    }

    private func receive(
        into staging: any BlobStaging, next: () async throws(PlatformError) -> [UInt8]?
    ) async throws(PlatformError) -> any BlobFile {
        let file = try await work.run { () throws(PlatformError) in try staging.newScratch() }
        while let piece = try await next() {
            guard file.size + piece.count <= limits.uploadBytes else {
                throw PlatformError(
                    .bodyTooLarge,
                    "The zip is larger than \(ByteCount.text(limits.uploadBytes)), the most this server "
                        + "takes (--max-upload-bytes).")
            }
            try await work.run { () throws(PlatformError) in try file.append(piece) }
        }
        guard file.size > 0 else {
            throw PlatformError(.badPackage, "The request has no body: send the zip as the body.", reason: "not-a-zip")
        }
        return file
    }

    private func publish(
        _ request: Request, upload: any BlobFile, staging: any BlobStaging, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        let released = try await released(request.package)
        let (version, warnings) = try await work.run { () throws(PlatformError) in
            let version = try inspect(request, upload: upload, staging: staging)
            return (version, try UploadLinter(workshop: workshop).warnings(of: version, since: released, in: staging))
        }
        let identity = cryptography.sha256(version.identityBytes)
        if let summary = try await published(version, identity: identity) {
            return .unchanged(summary, warnings: warnings)
        }

        let full = try await work.run { () throws(PlatformError) in
            let full = try buildFull(version, staging: staging)
            try staging.commit()
            return full
        }
        let audit = author.audit(
            "version.publish", "\(version.package)@\(version.version)", in: version.app, at: version.createdAt,
            [.init("tree", .string(version.treeHash.hex)), .init("bytes", .integer(Int64(upload.size)))])
        do throws(PlatformError) {
            let app = try live.requireApp(version.app)
            try await keys.makeLegacy(of: app)
            try await live.alone(with: app) { () throws(PlatformError) in
                try await live.store.publish(
                    version, identity: identity, full: try await keys.sign(full), blobs: staging.records, audit: audit)
            }
        } catch {
            // Two at once: the other one may have published the same content.
            guard error.code == .versionExists, let summary = try await published(version, identity: identity) else {
                throw error
            }
            return .unchanged(summary, warnings: warnings)
        }
        return .published(
            VersionSummary(
                version: version.version, treeHash: version.treeHash, fileCount: version.tree.files.count,
                totalSize: version.tree.totalSize, archiveSize: full.size, createdAt: version.createdAt),
            warnings: warnings)
    }

    /// The version that devices on `production` get now, to compare with; `nil` where there is none.
    private func released(_ package: Package) async throws(PlatformError) -> Version? {
        let view = try live.requireApp(package.app).view(of: .production)
        guard let current = view?.entries.first(where: { $0.package.id == package.id })?.current else { return nil }
        return try await live.store.version(current.release.version, of: package.id, in: package.app)
    }

    private func inspect(
        _ request: Request, upload: any BlobFile, staging: any BlobStaging
    ) throws(PlatformError)
        -> Version
    {
        let package = request.package
        let uploaded = try workshop.unpack(zipAt: upload.path, limits: limits, into: staging)
        let arranged = try UploadArrangement(uploaded, entry: package.entry, unwrapping: request.unwrapping)
        return Version(
            app: package.app, package: package.id, version: request.version, tree: arranged.tree,
            treeHash: cryptography.treeHash(of: arranged.tree), entry: package.entry,
            urlPrefix: package.urlPrefix,
            uploaded: try arranged.descriptors(entry: package.entry, urlPrefix: package.urlPrefix) {
                (content, limit) throws(PlatformError) in try workshop.read(content, from: staging, upTo: limit)
            },
            createdAt: clock.now())
    }

    private func buildFull(_ version: Version, staging: any BlobStaging) throws(PlatformError) -> Artifact {
        let tree = try LayoutBuilder(workshop: workshop).tree(of: version, staging: staging)
        let built = try workshop.buildZip(tree.files, into: staging)
        return Artifact(of: version, form: .full, tree: cryptography.treeHash(of: tree), built: built)
    }

    /// The version as it is there; `nil` where its name is free or its files were removed, `versionExists` where it has
    /// another content.
    private func published(_ version: Version, identity: SHA256Digest) async throws(PlatformError) -> VersionSummary? {
        let store = live.store
        guard
            let publication = try await store.publication(
                of: version.version, of: version.package, in: version.app)
        else { return nil }
        guard publication.identity == identity, publication.version == version.version else {
            throw PlatformError(
                .versionExists,
                "Version \(publication.version) of '\(version.package)' is published already, with other content. A "
                    + "version never changes: publish this content under a new version.")
        }
        // What was removed is published like something new.
        guard publication.prunedAt == nil else { return nil }
        return try await store.versions(of: version.package, in: version.app).first { $0.version == version.version }
    }
}
