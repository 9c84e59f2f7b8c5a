package import Domain
import Execution
import Ground
import Synchronization

/// The creation of releases: building the patches that they need, then one transaction.
extension Releaser {
    /// The built patches, by package.
    typealias Built = [PackageID: [VersionPair: [Artifact]]]
    private typealias Pairs = [PackageID: Set<VersionPair>]

    /// Releases a version, or the versions of a release set together.
    ///
    /// Throws `forbidden`, `channelNotFound`, `versionNotFound`, `versionRetired`, `listNotFound`, `releaseExists`, `dependentsLost`
    /// unless forced, and `conflict` if a version does not fit a dialect of its package; nothing is released then.
    ///
    /// - Parameters:
    ///   - isForced: Whether devices may lose releases of other packages.
    ///   - needsClearance: Whether a protected channel requires an approval; not for a version that takes pages off devices.
    package func release(
        _ request: ReleaseRequest, isForced: Bool = false, needsClearance: Bool = true, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        let app = try live.requireApp(request.app)
        try Self.require(author, on: request.channel, of: request.app)
        guard app.view(of: request.channel) != nil else {
            throw PlatformError(
                .channelNotFound,
                "The app '\(request.app)' has no channel '\(request.channel)'. Declare it first:",
                remedy: .declareChannel(request.channel, of: request.app))
        }
        let first = try await preview(request, of: app)
        if !isForced { try await requireNoLoss(changing: first.changed, in: app, at: first.instant, isCounting: true) }
        var order = Order(request: request, isForced: isForced, needsClearance: needsClearance, author: author)
        for draft in request.drafts { order.prepared.append(try await dialects.prepare(draft, by: author)) }
        // A dry run builds no patches, since they never prevent a release.
        var missing = author.isRehearsing ? [:] : first.missing
        if missing.isEmpty {
            let attempt = try await live.change(app) { () throws(PlatformError) in
                try await make(order, with: [:], of: app)
            }
            switch attempt {
            case .made(let outcome): return outcome
            case .lacking(let pairs): missing = pairs
            }
        }
        // The staging protects the built patches from a sweep until the release references them.
        return try await blobs.withStaging(on: builder.work) { [order, missing] staging throws(PlatformError) in
            try await release(order, building: missing, into: staging, of: app)
        }
    }

    /// A request that is being carried out.
    private struct Order: Sendable {
        let request: ReleaseRequest
        let isForced: Bool
        let needsClearance: Bool
        let author: Operator
        /// The packages whose dialects the versions were prepared for.
        var prepared: [Package?] = []
    }

    /// Builds patches outside of the app's changes, and makes the releases if no further patches have become necessary.
    ///
    /// After ``attempts`` attempts, it builds the patches within a change.
    private func release(
        _ order: Order, building first: Pairs, into staging: any BlobStaging, of app: LiveApp
    ) async throws(PlatformError) -> Outcome {
        var missing = first
        var built: Built = [:]
        let outcome = try await live.change(app, attempts: Self.attempts) { () throws(PlatformError) in
            do throws(PlatformError) {
                let more = try await builds.pass { () throws(PlatformError) in
                    try await build(missing, of: app.id, into: staging)
                }
                built.merge(more) { $0.merging($1) { $1 } }
            } catch {
                // The files may have been removed meanwhile, which is the better error.
                _ = try await preview(order.request, of: app)
                throw error
            }
            return built
        } committing: { built throws(PlatformError) -> Outcome? in
            switch try await make(order, with: built, of: app) {
            case .made(let outcome): return outcome
            case .lacking(let pairs):
                missing = pairs
                return nil
            }
        }
        if let outcome { return outcome }
        return try await live.change(app) { () throws(PlatformError) in
            let preview = try await require(order, in: app)
            let more = try await build(Self.lacking(preview, built), of: app.id, into: staging)
            built.merge(more) { $0.merging($1) { $1 } }
            return try await commit(preview, of: order, with: built)
        }
    }

    private func build(
        _ missing: Pairs, of app: AppID, into staging: any BlobStaging
    ) async throws(PlatformError) -> Built {
        var built: Built = [:]
        for (package, pairs) in missing.sorted(by: { $0.key < $1.key }) {
            let more = try await builder.build(pairs, of: package, in: app, into: staging)
            built[package] = more
            let withoutDelta = more.filter { !$0.value.contains { $0.kind == .delta } }.keys
            guard !withoutDelta.isEmpty else { continue }
            self.withoutDelta.withLock {
                $0[PackageName(app: app, package: package), default: []].formUnion(withoutDelta)
            }
        }
        try await builder.commit(staging)
        return built
    }

    /// The result of a successful attempt.
    private enum Attempt {
        case made(Outcome)
        /// These patches have to be built first; nothing was changed.
        case lacking(Pairs)
    }

    /// Makes the releases, within a change of the app, if the patches that they need now are stored or built.
    private func make(
        _ order: Order, with built: Built, of app: LiveApp
    ) async throws(PlatformError) -> Attempt {
        let preview = try await require(order, in: app)
        let lacking = Self.lacking(preview, built)
        guard lacking.isEmpty || order.author.isRehearsing else { return .lacking(lacking) }
        return .made(try await commit(preview, of: order, with: built))
    }

    /// Previews a request within a change of the app; throws if it can no longer be carried out.
    private func require(_ order: Order, in app: LiveApp) async throws(PlatformError) -> ReleasePreview {
        let preview = try await preview(order.request, of: app)
        if order.needsClearance {
            try await requireClearance(of: order.author, making: order.request, preview, in: app)
        }
        if !order.isForced {
            try await requireNoLoss(changing: preview.changed, in: app, at: preview.instant, isCounting: false)
        }
        for (package, draft) in zip(order.prepared, order.request.drafts) {
            try await dialects.require(package, for: draft)
        }
        return preview
    }

    /// Returns the missing patches that were not built, by package.
    private static func lacking(_ preview: ReleasePreview, _ built: Built) -> Pairs {
        preview.missing.reduce(into: [:]) { lacking, missing in
            let pairs = missing.value.filter { built[missing.key]?[$0] == nil }
            if !pairs.isEmpty { lacking[missing.key] = pairs }
        }
    }

    /// Signs the patches that the releases need, with the current keys, and makes the releases together with them.
    ///
    /// Superfluous and unsigned patches stay unreferenced blobs: a failing external signer must not delay a version
    /// whose full archive is signed.
    private func commit(
        _ preview: ReleasePreview, of order: Order, with built: Built
    ) async throws(PlatformError) -> Outcome {
        let request = order.request
        var patches: [SignedArtifact] = []
        var left = request.packages.flatMap { package in
            (preview.missing[package] ?? []).sorted().map { (package: package, pair: $0) }
        }[...]
        while let next = left.first, let signed = try await sign(built[next.package]?[next.pair] ?? []) {
            patches += signed
            left.removeFirst()
        }
        let made = try await store.makeReleases(
            request, patches: patches,
            blobs: patches.map { BlobRecord(digest: $0.artifact.blob, size: $0.artifact.size) },
            audit: Self.audit(preview, of: request, by: order.author))
        let unready = made.filter { release in
            left.contains { $0.package == release.package && $0.pair.target == release.version }
        }
        return Outcome(
            status: Status(
                group: ReleaseGroup(of: request, made), releases: preview.before.with(made), instant: preview.instant),
            packagesWithoutPatches: Set(unready.map(\.package)))
    }

    private static func audit(
        _ preview: ReleasePreview, of request: ReleaseRequest, by author: Operator
    ) -> AuditEntry {
        let first = preview.releases[0]
        let ended = request.takingBack.first
        var details: [JSON.Member] = [
            .init("channel", .string(request.channel.text)), .init("activeTime", .string(first.activeTime.rfc3339)),
            .init("mandatory", .bool(first.isMandatory)),
            .init("percent", .string(first.percent(at: first.activeTime).percent)),
        ]
        if let number = request.isSet ? ended?.set?.id.value : ended?.id.value {
            details.append(.init("takesBack", .integer(number)))
        }
        let action: AuditAction =
            request.isSet
            ? (ended == nil ? .makeReleaseSet : .rollBackReleaseSet) : (ended == nil ? .makeRelease : .rollBackRelease)
        let subject = preview.releases.map { "\($0.package)@\($0.version)" }.joined(separator: ",")
        let group = ReleaseGroup(of: request, preview.releases)
        return author.audit(
            action, subject, in: request.app, at: preview.instant, details,
            change: .created(group.auditMembers(at: preview.instant)))
    }

    /// Signs the patches of a pair; returns `nil` if the external signer fails.
    ///
    /// The signer is not called again then, since the app's other changes wait.
    private func sign(_ patches: [Artifact]) async throws(PlatformError) -> [SignedArtifact]? {
        var signed: [SignedArtifact] = []
        do throws(PlatformError) {
            for patch in patches { signed.append(try await keys.sign(patch)) }
        } catch  where error.code == .signingFailed {
            return nil
        }
        return signed
    }
}
