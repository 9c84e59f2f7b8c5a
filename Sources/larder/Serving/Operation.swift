import API
import Domain
import Platform
import Server
import Wiring

/// The running service: the server and its background services.
struct Operation {
    let server: HTTPServer
    let composition: Composition
    let signals: Signals
    let log: StandardErrorLog
    let accessLog: AccessLogWriter?
    let certificateWatch: CertificateWatch?
    /// Whether unneeded versions and blobs are removed every day.
    let isPruning: Bool

    /// Serves until a signal arrives, all connections are drained and all reports and logs are written.
    func run(_ application: APIApplication) async throws {
        let (services, improver, pools) = (composition.services, composition.improver, composition.pools)
        let keeping = pools.service
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: keeping) { await services.reports.run() }
            group.addTask(executorPreference: keeping) {
                await services.live.runActivations { error in
                    log.write("activation.failed", ["cause": error.cause ?? error.message])
                }
            }
            if let watch = composition.storeWatch {
                group.addTask(executorPreference: keeping) {
                    await watch.run { error in
                        if let error {
                            log.write("database.lost", ["cause": error.cause ?? error.message])
                        } else {
                            log.write("database.back", [:])
                        }
                    }
                }
            }
            let patchFailed = { @Sendable (error: PlatformError) in
                // The node that has taken the work over builds the patch.
                guard !error.isLeaseLost else { return }
                log.write("patch.failed", ["cause": error.cause ?? error.message])
            }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld { await services.patchBackfill.run(report: patchFailed) }
            }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld { await improver.run(report: patchFailed) }
            }
            group.addTask(executorPreference: keeping) { await services.auditFollower.run() }
            group.addTask(executorPreference: keeping) {
                await services.tokens.runUses { error in
                    log.write("tokens.uses-lost", ["cause": error.cause ?? error.message])
                }
            }
            group.addTask(executorPreference: keeping) {
                await services.sessions.runUses { error in
                    log.write("sessions.uses-lost", ["cause": error.cause ?? error.message])
                }
            }
            group.addTask(executorPreference: keeping) { await services.requestedPatches.run(report: patchFailed) }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld { await services.pruner.run(isRemoving: isPruning) { logPruning(of: $0) } }
            }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld {
                    await services.aggregator.run { error in
                        guard !error.isLeaseLost else { return }
                        log.write("reports.aggregation-failed", ["cause": error.cause ?? error.message])
                    }
                }
            }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld {
                    await services.healthJudge.run { error in
                        guard !error.isLeaseLost else { return }
                        log.write("health.failed", ["cause": error.cause ?? error.message])
                    }
                }
            }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld {
                    await services.approvals.runExpiry { error in
                        guard !error.isLeaseLost else { return }
                        log.write("approvals.failed", ["cause": error.cause ?? error.message])
                    }
                }
            }
            group.addTask(executorPreference: keeping) {
                await whileLeaseHeld { await services.webhookSender.run { logWebhook($0) } }
            }
            if let nodes = services.nodes {
                group.addTask(executorPreference: keeping) { await nodes.follower.run { logFollowing($0) } }
                group.addTask(executorPreference: keeping) { await nodes.lease.run { logLease($0) } }
            }
            group.addTask(executorPreference: keeping) {
                await services.uploads.run { outcome in
                    switch outcome {
                    case .success(let count):
                        if count > 0 { log.write("uploads.swept", ["count": String(count)]) }
                    case .failure(let error):
                        log.write("uploads.failed", ["cause": error.cause ?? error.message])
                    }
                }
            }
            group.addTask(executorPreference: keeping) {
                await services.devicesSeen.run { error in
                    log.write("devices.failed", ["cause": error.cause ?? error.message])
                }
            }
            group.addTask(executorPreference: keeping) { await heedSignals() }
            group.addTask(executorPreference: pools.log) { await log.run() }
            if let accessLog { group.addTask(executorPreference: pools.access) { await accessLog.run() } }
            if let certificateWatch { group.addTask(executorPreference: pools.tls) { await certificateWatch.run() } }
            try await server.run(application)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func logPruning(of outcome: Result<PruneReport, PlatformError>) {
        switch outcome {
        case .success(let report):
            for failure in report.failures where !failure.isLeaseLost {
                log.write("prune.failed", ["cause": failure.cause ?? failure.message])
            }
            if !report.skipped.isEmpty {
                log.write("prune.skipped", ["apps": report.skipped.map(\.text).joined(separator: ",")])
            }
            if report.isHeldByBackup {
                log.write(
                    "prune.held",
                    ["what": "a backup is copying blobs; unneeded blobs are removed within an hour after it"])
            }
            guard !report.isEmpty else { return }
            log.write(
                "store.pruned",
                [
                    "versions": String(report.versions), "archives": String(report.artifacts),
                    "blobs": String(report.blobs), "bytes": String(report.bytes),
                ])
        case .failure(let error):
            guard !error.isLeaseLost else { return }
            log.write("prune.failed", ["cause": error.cause ?? error.message])
        }
    }

    /// Runs background work that one node of the installation does at a time: whenever this node has the lease.
    private func whileLeaseHeld(_ work: @escaping @Sendable () async -> Void) async {
        guard let nodes = composition.services.nodes else { return await work() }
        await nodes.lease.whileHeld(work)
    }

    private func logWebhook(_ event: WebhookSender.Event) {
        switch event {
        case .paused(let id, let app, let reason):
            log.write("webhook.paused", ["app": app.text, "webhook": id.description, "cause": reason])
        case .unreadable(let id, let app):
            log.write(
                "webhook.unreadable",
                [
                    "app": app.text, "webhook": id.description,
                    "what": "the stored URL and secrets cannot be decrypted: delete the webhook and create another",
                ])
        case .failed(let error):
            guard !error.isLeaseLost else { return }
            log.write("webhooks.failed", ["cause": error.cause ?? error.message])
        }
    }

    private func logFollowing(_ event: ChangeFollower.Event) {
        switch event {
        case .connected: log.write("nodes.connected", [:])
        case .lost(let error): log.write("nodes.disconnected", ["cause": error.cause ?? error.message])
        case .outdated(let schema):
            log.write(
                "nodes.outdated",
                [
                    "schema": String(schema),
                    "what": "a newer server has migrated the database: this one only responds to devices until it is "
                        + "upgraded and restarted",
                ])
        case .moved:
            log.write(
                "nodes.moved",
                [
                    "what": "the data of this installation were moved while this server was cut off: it only responds "
                        + "to devices, and should be stopped"
                ])
        case .failed(let error): log.write("nodes.failed", ["cause": error.cause ?? error.message])
        }
    }

    private func logLease(_ event: NodeLease.Event) {
        switch event {
        case .taken: log.write("lease.taken", [:])
        case .lost: log.write("lease.lost", [:])
        case .failed(let error): log.write("lease.failed", ["cause": error.cause ?? error.message])
        }
    }

    private func heedSignals() async {
        var isDraining = false
        while let signal = await signals.next() {
            switch signal {
            case .stop where isDraining:
                log.write("server.cut-off", [:])
                server.cutOff()
            case .stop:
                isDraining = true
                log.write("server.draining", [:])
                server.drain()
            case .reload:
                accessLog?.reopen()
                certificateWatch?.reload()
            }
        }
    }
}
