package import Domain
import Execution
package import Ground

/// The task that judges releases by their health rules, lets their plans go on, and stops those that harm devices.
///
/// One node of an installation runs it at a time. A tripped rule is recorded with its audit entry in one transaction,
/// and the action follows; after a crash in between, the next look takes it, unless an operator has stopped the release or
/// changed its rules.
package final class HealthJudge: Sendable {
    /// The time between two looks at all releases.
    package static let interval: Duration = .seconds(10)
    /// The time between two looks is at least as many times as long as a look, up to ``longestRest``.
    static let restFactor = 9
    static let longestRest: Duration = .seconds(60)
    /// The milliseconds after which an unchanged verdict is written again, with its time.
    static let renewal: Int64 = 60_000

    private let live: LiveApps
    private let store: any HealthStore
    private let releaser: Releaser
    private let statistics: ReportStatistics
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any HealthStore, releaser: Releaser, statistics: ReportStatistics, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.releaser = releaser
        self.statistics = statistics
        self.clock = clock
    }

    /// Returns the latest verdicts on the releases that have health rules, in the operators' format.
    package func verdicts(on releases: [Release]) async throws(PlatformError) -> [ReleaseID: JSON] {
        let judged = releases.filter { $0.terms.health != nil }.map(\.id)
        guard !judged.isEmpty else { return [:] }
        return try await store.healthWatches(of: judged).mapValues(\.verdict)
    }

    /// Returns the health rules of an app's new releases that give none; `nil` for no rules.
    package func defaults(of app: AppID) async throws(PlatformError) -> HealthPolicy? {
        try await store.defaultHealth(of: app)
    }

    /// Replaces the health rules of an app's new releases that give none; existing releases keep theirs.
    ///
    /// Throws `preconditionFailed`.
    package func setDefaults(
        _ policy: HealthPolicy?, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) {
        let details: [JSON.Member] = policy.map { [.init("rules", $0.json)] } ?? []
        try await live.change(app) { () throws(PlatformError) in
            let known = try await defaults(of: app.id)
            try precondition?.require(tag(of: known), of: "The set of health rules of '\(app.id)'")
            let change = AuditChange.changed(
                from: [.init("health", known?.json ?? .null)], to: [.init("health", policy?.json ?? .null)])
            try await store.setDefaultHealth(
                policy, of: app.id,
                audit: author.audit(
                    .setAppHealth, app.id.text, in: app.id, at: clock.now(), details, change: change))
        }
    }

    /// Returns the entity tag of the health rules of an app's new releases.
    package func tag(of policy: HealthPolicy?) -> String {
        String(tagOf: policy?.json ?? .null, by: releaser.keys.cryptography)
    }

    /// Judges releases until cancelled.
    ///
    /// - Parameter report: Called for the first of consecutive failures.
    package func run(report: @Sendable (PlatformError) -> Void) async {
        var hasFailed = false
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let errors = await pass()
            if let error = errors.first, !hasFailed { report(error) }
            hasFailed = !errors.isEmpty
            let rest = min((ContinuousClock.now - start) * Self.restFactor, Self.longestRest)
            await AsyncFlag().wait(upTo: max(Self.interval, rest))
        }
    }

    /// Judges all releases that have health rules once; returns the failures.
    package func pass() async -> [PlatformError] {
        var errors: [PlatformError] = []
        for app in live.all {
            let now = app.decisionInstant(clock.now())
            let offered = app.allViews.flatMap(\.releases)
            var groups: Set<ReleaseGroup.ID> = []
            for release in offered where release.isJudged(at: now) {
                groups.insert(release.set.map { .set($0.id) } ?? .release(release.id, of: release.package))
            }
            for group in groups {
                guard !Task.isCancelled else { return errors }
                do throws(PlatformError) { try await judge(group, of: app, beside: offered) } catch {
                    errors.append(error)
                }
            }
        }
        return errors
    }

    /// - Parameter offered: The releases that devices may be offered, on all channels.
    private func judge(
        _ id: ReleaseGroup.ID, of app: LiveApp, beside offered: [Release]
    ) async throws(PlatformError) {
        let status = try await releaser.find(id, of: app)
        let (members, now) = (status.group.members, status.instant)
        guard let policy = status.group.terms.health, status.state != .superseded,
            members.allSatisfy({ $0.isJudged(at: now) })
        else { return }
        let stored = try await store.healthWatches(of: members.map(\.id))
        let watches = HealthWatch.current(after: stored, of: members, under: policy, at: now)
        var verdicts: [HealthVerdict] = []
        for (release, watch) in zip(members, watches) {
            if let trip = watch.trip {
                if !trip.wasStopped, trip.action != .pause || status.state.allowed.contains(.pause) {
                    return try await take(trip.action, on: status, of: app)
                }
                // Devices may still get the release, so rules with a stronger action go on.
                guard policy.rules.contains(where: { $0.action > trip.action }) else { return }
            }
            let counts = watch.since > now ? nil : try await counts(of: release, in: watch, policy, beside: offered)
            let verdict = HealthVerdict(of: counts, in: watch, under: policy)
            if let tripped = verdict.tripped, watch.trip.map({ tripped.rule.action > $0.action }) ?? true {
                let isTripped = try await trip(tripped, by: verdict, on: release, status, of: app, at: now)
                guard isTripped else { return }
                return try await take(tripped.rule.action, on: status, of: app)
            }
            guard watch.trip == nil else { continue }
            try await write(verdict, on: release, after: stored[release.id], at: now)
            verdicts.append(verdict)
        }
        guard verdicts.count == members.count, members[0].isStepWaiting(at: now),
            verdicts.allSatisfy(\.permitsStep)
        else { return }
        var steps: [ReleaseID: HealthStep] = [:]
        for release in members { steps[release.id] = HealthStep(try await statistics.devices(about: release)) }
        try await releaser.advance(id, of: app, steps: steps)
    }

    private func counts(
        of release: Release, in watch: HealthWatch, _ policy: HealthPolicy, beside offered: [Release]
    ) async throws(PlatformError) -> HealthCounts {
        let isOffered = offered.contains { other in
            other.id != release.id && other.package == release.package && other.version == release.version
        }
        let step = release.terms.rollout.heldStep == nil ? nil : try await store.healthStep(of: release.id)
        return try await statistics.healthCounts(
            of: release, isOnlyRelease: !isOffered, judging: Set(policy.rules.map(\.metric)), since: watch.since,
            after: step)
    }

    /// Writes a verdict if it differs from the stored one, or if that is older than ``renewal``.
    private func write(
        _ verdict: HealthVerdict, on release: Release, after stored: HealthWatch?, at now: Timestamp
    ) async throws(PlatformError) {
        let hasHeldStep = release.terms.rollout.heldStep != nil
        if let stored, let judgedAt = stored.verdict["judgedAt"]?.string.flatMap(Timestamp.init(rfc3339:)),
            JSON(parsing: verdict.json(hasHeldStep: hasHeldStep, at: judgedAt).bytes()) == stored.verdict,
            abs(now.milliseconds - judgedAt.milliseconds) < Self.renewal
        {
            return
        }
        var watch = verdict.watch
        watch.verdict = verdict.json(hasHeldStep: hasHeldStep, at: now)
        try await store.setHealthWatch(watch, of: release.id, audit: nil)
    }

    // MARK: Stopping

    /// Records the excess of a limit, with the audit entry that operators and webhooks get.
    ///
    /// Returns `false` if an operator has changed the release meanwhile: the next look judges it by its rules then.
    private func trip(
        _ check: HealthCheck, by verdict: HealthVerdict, on release: Release, _ status: Releaser.Status,
        of app: LiveApp, at now: Timestamp
    ) async throws(PlatformError) -> Bool {
        var watch = verdict.watch
        watch.trip = HealthWatch.Trip(check.rule.action, of: release)
        watch.verdict = verdict.json(hasHeldStep: release.terms.rollout.heldStep != nil, at: now)
        var details: [JSON.Member] = [.init("release", .integer(release.id.value))]
        if let set = release.set { details.append(.init("releaseSet", .integer(set.id.value))) }
        details.append(.init("note", .string(check.sentence)))
        let entry = Operator.server.audit(
            .tripRelease, "\(release.package)@\(release.version)", in: release.app, at: now,
            details + (check.json.members ?? []), change: .none)
        let tripped = watch
        return try await live.change(app) { () throws(PlatformError) in
            guard try await releaser.find(status.group.id, of: app).group.revision == status.group.revision else {
                return false
            }
            try await store.setHealthWatch(tripped, of: release.id, audit: entry)
            return true
        }
    }

    /// Takes the action of a tripped rule as far as the state of the release allows it.
    ///
    /// Devices may lose releases of other packages by it. A release that cannot be rolled back is halted: no earlier one
    /// can replace it, or its patches cannot be built. After a passing error, the next look takes the action. Throws
    /// `preconditionFailed` if an operator has changed the release meanwhile.
    private func take(
        _ action: HealthAction, on status: Releaser.Status, of app: LiveApp
    ) async throws(PlatformError) {
        switch action {
        case .pause where status.state.allowed.contains(.pause): try await apply(.pause, to: status.group, of: app)
        case .pause: return
        case .halt: try await apply(.halt, to: status.group, of: app)
        case .rollBack:
            do throws(PlatformError) {
                _ = try await releaser.rollBack(
                    status.group.id, of: app, isMandatory: false, isDryRun: false, ifMatch: status.group.unchanged,
                    isForced: true, by: .server)
            } catch {
                switch error.code {
                case .busy, .storageUnavailable, .preconditionFailed: throw error
                default: try await apply(.halt, to: status.group, of: app)
                }
            }
        }
    }

    private func apply(
        _ action: ReleaseAction, to group: ReleaseGroup, of app: LiveApp
    ) async throws(PlatformError) {
        _ = try await releaser.apply(
            action, to: group.id, of: app, ifMatch: group.unchanged, isForced: true, by: .server)
    }
}

extension ReleaseGroup {
    /// The precondition that nobody has changed the group.
    fileprivate var unchanged: IfMatchPrecondition { .tags([String(revision)]) }
}
