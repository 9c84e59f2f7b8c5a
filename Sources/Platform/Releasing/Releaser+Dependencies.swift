package import Domain
import Execution
package import Ground

/// The releases of other packages that devices lose by a change.
package struct LossReport: Sendable, Equatable {
    package let losses: [DependencyLoss]
    /// The number of seen devices that lose a release; `nil` if the server records none, or they were not counted.
    package let count: LossCount?

    package static let none = LossReport(losses: [], count: nil)
}

/// The rule that a device does not lose a release because of another package's release, unless an operator forces it
/// (semantics.md §2).
extension Releaser {
    /// Throws `dependentsLost` if changed releases cause losses.
    func requireNoLoss(
        changing changed: [Release], in app: LiveApp, at now: Timestamp, isCounting: Bool
    ) async throws(PlatformError) {
        try Self.require(try await losses(changing: changed, in: app, at: now, isCounting: isCounting))
    }

    /// Returns the losses that the end of releases causes; throws `dependentsLost` unless forced or a dry run.
    ///
    /// Counts the devices for an error and for a dry run, not for a forced change.
    func requireNoLoss(
        ending ended: [Release], in app: LiveApp, at now: Timestamp, isForced: Bool, isDryRun: Bool
    ) async throws(PlatformError) -> LossReport {
        let report = try await losses(changing: ended, in: app, at: now, isCounting: !isForced || isDryRun)
        if !isForced, !isDryRun { try Self.require(report) }
        return report
    }

    /// Returns the losses that a release causes whose version need not exist yet and has no requirements.
    package func losses(making draft: ReleaseDraft) async throws(PlatformError) -> LossReport {
        let app = try live.requireApp(draft.app)
        let now = app.decisionInstant(clock.now())
        let stored = try await releases(of: [draft.package], on: draft.channel, in: app.id)
        let updates = try stored.making(ReleaseRequest(draft), at: now)
        return try await losses(changing: updates.map(\.release), in: app, at: now, isCounting: true)
    }

    /// Throws `dependentsLost` for a report with losses.
    package static func require(_ report: LossReport) throws(PlatformError) {
        guard !report.losses.isEmpty else { return }
        throw PlatformError(lossOf: report)
    }

    /// Returns the losses that changed releases cause.
    ///
    /// - Parameter isCounting: Whether to count the devices, which reads all seen devices.
    func losses(
        changing changed: [Release], in app: LiveApp, at now: Timestamp, isCounting: Bool
    ) async throws(PlatformError) -> LossReport {
        guard let channel = changed.first?.channel else { return .none }
        let before = try await store.releases(on: channel, in: app.id)
        let ids = Set(changed.map(\.id))
        let after = before.filter { !ids.contains($0.id) } + changed
        let losses = await live.work.run { DependencyReview.losses(from: before, to: after, at: now) }
        guard !losses.isEmpty else { return .none }
        guard isCounting else { return LossReport(losses: losses, count: nil) }
        let state = try await live.state(of: app.id, at: now)
        let count = try await devicesSeen.count(losing: losses, from: before, to: after, in: state, at: now)
        return LossReport(losses: losses, count: count)
    }
}

extension PlatformError {
    /// The number of losses in the message; the members of the problem document have all.
    private static let namedLosses = 3

    fileprivate init(lossOf report: LossReport) {
        let named = report.losses.prefix(Self.namedLosses).map(\.description).joined(separator: "; ")
        let further = report.losses.count - Self.namedLosses
        let devices =
            report.count.map {
                " \($0.devices) of \($0.seen) devices seen in the last \(SeenWindow.days) days lose one."
            }
            ?? ""
        self.init(
            .dependentsLost,
            "Devices would lose releases of other packages: \(named)\(further > 0 ? "; and \(further) more" : "").\(devices) "
                + "Release versions that depend on each other as a release set, or first release versions of the "
                + "dependent packages whose range includes the new version. To make the change anyway, give 'force' "
                + "(--force).",
            facts: report.members)
    }
}

extension LossReport {
    /// The losses as the operators' API lists them.
    package var members: [JSON.Member] {
        let list = losses.enumerated().map { index, loss in
            JSON.object([
                "package": .string(loss.release.package.text), "version": .string(loss.release.version.text),
                "release": .integer(loss.release.id.value),
                "needs": loss.dependency.map { .string("\($0.package) \($0.range)") } ?? .null,
                "cause": .object([
                    "package": .string(loss.cause.package.text), "version": .string(loss.cause.version.text),
                    "change": loss.causeBegins ? "begins" : "ends",
                ]),
                "from": .string(loss.from.rfc3339),
                "devices": count.map { .integer(Int64($0.devicesByLoss[index])) } ?? .null,
            ])
        }
        return [
            .init("losses", .array(list)), .init("devices", count.map { .integer(Int64($0.devices)) } ?? .null),
        ]
    }
}
