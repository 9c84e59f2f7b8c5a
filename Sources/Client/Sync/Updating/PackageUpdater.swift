import Domain
import Ground

/// An updater that brings one package's copy to the version that its entry offers.
struct PackageUpdater {
    let folder: SyncFolder
    let keys: TrustedKeys
    let fetcher: ArtifactFetcher
    let builder: TreeBuilder
    let installer: Installer
    let trees: LayoutTree
    let clock: any ClientClock
    let report: (SyncEvent) -> Void

    /// - Parameters:
    ///   - now: The server's time.
    ///   - rank: The rank of the copy's release, if known; updated once the copy has the offered version.
    func update(_ entry: ConfigEntry, at now: Timestamp, rank: inout Int64?) -> PackageOutcome {
        var outcome = replace(entry.package, by: entry.offer(at: now), at: now, rank: &rank)
        outcome.onlineUntil = entry.onlineUntil(at: now)
        if let upcoming = entry.upcoming(at: now) {
            outcome.next = prepare(entry.package, upcoming.json, activeTime: upcoming.activeTime, at: now)
        } else {
            // The scheduled version has become active or was cancelled.
            try? installer.discardPrepared(entry.package)
        }
        return outcome
    }

    // MARK: The copy

    private func replace(
        _ package: PackageID, by json: JSON, at now: Timestamp, rank: inout Int64?
    ) -> PackageOutcome {
        let local = folder.localConfig(of: package)
        let decision = SeedDecision(entry: json, local: local)
        let from = local.version
        switch decision {
        case .skip(let rule): return PackageOutcome(package: package, result: .skipped(.bySeedRule(rule)))
        case .current:
            rank = json["rank"]?.integer ?? rank
            return PackageOutcome(package: package, result: .unchanged(version: from ?? ""))
        case .full, .incremental: break
        }
        var isMandatory = false
        do throws(PackageFailure) {
            let offer = try VersionOffer(json)
            isMandatory = offer.isMandatory(forRank: rank)
            // A missing copy is downloaded at once, since no older version can be opened meanwhile.
            if let time = ConfigEntry.wait(in: json, at: now), !isMandatory, case .present = local,
                try readyTree(package, offer) == nil
            {
                return PackageOutcome(
                    package: package, result: .waiting(from: from, to: offer.version.text, until: time))
            }
            let begin = clock.monotonic()
            let update = try replace(package, by: offer, decision: decision, from: from)
            rank = offer.rank
            report(
                SyncEvent(
                    event: .applied, package: package, version: offer.version.text, artifact: update.means.artifact,
                    from: from, bytes: update.bytes, duration: clock.monotonic() - begin, failure: update.fallback))
            return PackageOutcome(package: package, result: .updated(update))
        } catch {
            let to = json["version"]?.string
            if let to {
                report(SyncEvent(event: error.event, package: package, version: to, from: from, failure: error))
            }
            return PackageOutcome(
                package: package, result: .failed(from: from, to: to, error), next: nil, isMandatory: isMandatory)
        }
    }

    private func replace(
        _ package: PackageID, by offer: VersionOffer, decision: SeedDecision, from: String?
    ) throws(PackageFailure) -> PackageOutcome.Update {
        if let staged = try readyTree(package, offer) {
            try installer.install(staged)
            return .init(from: from, to: offer.version.text, means: .prepared, bytes: 0, fallback: nil)
        }
        let built = try build(package, offer, decision, from: from)
        try installer.install(built.staged)
        fetcher.discard(built.archive)
        return .init(
            from: from, to: offer.version.text, means: built.means, bytes: built.bytes, fallback: built.fallback)
    }

    /// Returns the prepared tree if it is the offered one.
    private func readyTree(_ package: PackageID, _ offer: VersionOffer) throws(PackageFailure) -> TreeBuilder.Staged? {
        guard let staged = installer.prepared(package), let tree = try? trees.scan(staged.root),
            trees.digest(tree) == offer.full.tree
        else { return nil }
        try fetcher.verify(offer.full, of: package, version: offer.version, trusting: keys)
        return staged
    }

    // MARK: Building

    private struct Built {
        let staged: TreeBuilder.Staged
        let archive: ArtifactOffer
        let means: PackageOutcome.Means
        var bytes: Int
        var fallback: PackageFailure?
    }

    /// Builds the new tree by the delta patch, else the incremental archive, else the full archive.
    ///
    /// If one of them fails, the next one is tried.
    private func build(
        _ package: PackageID, _ offer: VersionOffer, _ decision: SeedDecision, from: String?
    ) throws(PackageFailure) -> Built {
        var patches = [from.flatMap { offer.deltas[$0] }]
        if case .incremental(let base) = decision { patches.append(offer.patches[base]) }
        var fallback: PackageFailure?
        for patch in patches.compactMap({ $0 }) {
            do throws(PackageFailure) {
                var built = try build(package, offer, by: patch, from: from)
                built.fallback = fallback
                return built
            } catch {
                report(
                    SyncEvent(
                        event: .fellBack, package: package, version: offer.version.text, artifact: patch.form.kind,
                        from: from, failure: error))
                fallback = fallback ?? error
            }
        }
        var built = try buildFull(package, offer, from: from)
        built.fallback = fallback
        return built
    }

    private func build(
        _ package: PackageID, _ offer: VersionOffer, by patch: ArtifactOffer, from: String?
    ) throws(PackageFailure) -> Built {
        let tree = try builder.base(of: patch, of: package)
        let file = try fetch(patch, package, offer.version, from: from)
        if case .delta = patch.form {
            let staged = try builder.delta(
                patchAt: file.path, over: tree, offer: patch, of: package, version: offer.version)
            return Built(staged: staged, archive: patch, means: .delta, bytes: file.bytes)
        }
        let staged = try builder.incremental(
            zipAt: file.path, over: tree, offer: patch, of: package, version: offer.version)
        return Built(staged: staged, archive: patch, means: .files, bytes: file.bytes)
    }

    private func buildFull(
        _ package: PackageID, _ offer: VersionOffer, from: String?
    ) throws(PackageFailure) -> Built {
        let zip = try fetch(offer.full, package, offer.version, from: from)
        let staged = try builder.full(zipAt: zip.path, offer: offer.full, of: package, version: offer.version)
        return Built(staged: staged, archive: offer.full, means: .full, bytes: zip.bytes)
    }

    private func fetch(
        _ offer: ArtifactOffer, _ package: PackageID, _ version: VersionString, from: String?
    ) throws(PackageFailure) -> ArtifactFetcher.Fetched {
        let begin = clock.monotonic()
        let fetched = try fetcher.fetch(offer, of: package, version: version, trusting: keys)
        report(
            SyncEvent(
                event: .downloaded, package: package, version: version.text, artifact: offer.form.kind, from: from,
                bytes: fetched.bytes, duration: clock.monotonic() - begin))
        return fetched
    }

    // MARK: Scheduled versions

    private func prepare(
        _ package: PackageID, _ json: JSON, activeTime: Timestamp, at now: Timestamp
    ) -> PackageOutcome.Upcoming? {
        let local = folder.localConfig(of: package)
        let decision = SeedDecision(entry: json, local: local)
        switch decision {
        case .skip, .current: return nil
        case .full, .incremental: break
        }
        let version = json["version"]?.string ?? ""
        do throws(PackageFailure) {
            let offer = try VersionOffer(json)
            if try readyTree(package, offer) != nil {
                return .init(version: version, activeTime: activeTime, bytes: 0, failure: nil)
            }
            if let time = ConfigEntry.wait(in: json, at: now) {
                return .init(version: version, activeTime: activeTime, bytes: 0, failure: nil, downloadAfter: time)
            }
            let built = try build(package, offer, decision, from: local.version)
            try installer.prepare(built.staged)
            fetcher.discard(built.archive)
            return .init(version: version, activeTime: activeTime, bytes: built.bytes, failure: nil)
        } catch {
            report(
                SyncEvent(event: error.event, package: package, version: version, from: local.version, failure: error))
            return .init(version: version, activeTime: activeTime, bytes: 0, failure: error)
        }
    }
}

extension PackageFailure {
    /// The event that reports the step which failed.
    fileprivate var event: NamedEvent {
        switch reason {
        case .downloadFailed: .downloadFailed
        case .sizeMismatch, .digestMismatch: .verifyFailed
        case .baseMismatch, .archiveInvalid, .treeMismatch, .versionMismatch, .storageFailed: .applyFailed
        // Nothing was downloaded yet.
        case .invalidOffer, .signatureInvalid: .failed
        }
    }
}

extension PackageOutcome.Means {
    /// The kind of the artifact downloaded in this pass, for reports; `nil` if there was no download.
    fileprivate var artifact: Artifact.Kind? {
        switch self {
        case .full: .full
        case .files: .files
        case .delta: .delta
        case .prepared: nil
        }
    }
}
