import Domain
import Files
import Ground
import Transport

extension SyncEngine {
    /// Runs one sync pass.
    ///
    /// - Parameter cursor: The cursor of the last `/push` response; the config will be no older.
    func pass(cursor: String?) throws(SyncError) -> SyncResult {
        let config = try refresh(cursor: cursor)
        let outcomes = try bring(config.entries) + notOffered(config)
        try sweepDownloads(config)
        return try finish(outcomes)
    }

    /// Applies what the stored config makes due, without requesting a newer config.
    ///
    /// - Parameter instants: The period, in server time, whose due instants are applied.
    func applyDue(in instants: ClosedRange<Timestamp>) throws(SyncError) -> SyncResult {
        let due = config?.entries.filter { $0.moments.contains(where: instants.contains) } ?? []
        return try finish(try bring(due))
    }

    // MARK: Packages

    private func bring(_ entries: [ConfigEntry]) throws(SyncError) -> [PackageOutcome] {
        guard let keys = keys?.trusted else { preconditionFailure("packages before keys") }
        let updater = updater(trusting: keys)
        var outcomes: [PackageOutcome] = []
        for entry in entries where options.only?.contains(entry.package) ?? true {
            let name = entry.package.text
            var rank = state.ranks[name]
            let outcome = updater.update(entry, at: serverClock.now, rank: &rank)
            state.ranks[name] = rank
            if case .updated = outcome.result { state.generation += 1 }
            outcomes.append(outcome)
            try saveState()
        }
        return outcomes
    }

    private func updater(trusting keys: TrustedKeys) -> PackageUpdater {
        let trees = LayoutTree(cryptography: cryptography)
        return PackageUpdater(
            folder: folder, keys: keys,
            fetcher: ArtifactFetcher(
                client: client, folder: folder, clock: clock, cryptography: cryptography, progress: progress),
            builder: TreeBuilder(folder: folder, trees: trees), installer: Installer(folder: folder), trees: trees,
            clock: clock,
            report: { [unowned self] in queue($0) })
    }

    private func notOffered(_ config: ConfigBody) -> [PackageOutcome] {
        let offered = Set(config.entries.map(\.package))
        return (options.only ?? []).subtracting(offered).sorted().map {
            PackageOutcome(package: $0, result: .skipped(.notOffered))
        }
    }

    /// Removes downloads that the config no longer names; the others may be resumed.
    private func sweepDownloads(_ config: ConfigBody) throws(SyncError) {
        var wanted: Set<String> = []
        for entry in config.entries {
            for offer in [entry.json, entry.json["next"]].compactMap({ $0 }) {
                let digests = [offer["sha256"]] + (offer["patches"]?.elements ?? []).map { $0["sha256"] }
                wanted.formUnion(digests.compactMap { $0?.string })
            }
        }
        do throws(SystemError) {
            for name in try Disk.entries(folder.downloads) where !wanted.contains(String(name.prefix { $0 != "." })) {
                try Folder.remove("\(folder.downloads)/\(name)")
            }
        } catch { throw .storage(error) }
    }

    // MARK: Reports

    private func queue(_ event: SyncEvent) {
        guard options.sendsReports else { return }
        let report = event.report(
            device: state.deviceID, generation: state.generation, facts: options.facts, at: clock.wall(),
            by: cryptography)
        guard !state.reports.contains(where: { $0["eventId"] == report["eventId"] }) else { return }
        state.reports.append(report)
        if state.reports.count > ReportSender.maximumWaiting { state.reports.removeFirst() }
    }

    private func finish(_ outcomes: [PackageOutcome]) throws(SyncError) -> SyncResult {
        guard let keys else { preconditionFailure("a result before keys") }
        var sent = ReportSender.Outcome()
        if options.sendsReports, !state.reports.isEmpty {
            sent = ReportSender(client: client, base: options.base).send(&state.reports)
            try saveState()
        }
        return SyncResult(
            server: options.base.description, app: keys.trusted.app.text, deviceID: state.deviceID,
            rootKey: keys.trusted.rootFingerprint, trust: keys.trust, configVersion: state.configVersion,
            signature: state.seal.map { .init(keyID: $0.keyID, created: $0.created, expires: $0.expires) },
            serverTime: serverClock.now, packages: outcomes,
            reports: .init(
                sent: sent.sent, dropped: sent.dropped, waiting: state.reports.count, failure: sent.failure))
    }
}
