package import Ground

/// The devices that reported about a release and about other versions of its package, as totals of reports are added.
package struct HealthTally: Sendable {
    /// The devices of one group.
    private struct Group {
        var devices = DeviceUnion()
        var affected: [HealthMetric: DeviceUnion] = [:]
        /// The devices that loaded pages, and the durations.
        var loading = DeviceUnion()
        var durations = DurationSketch()
    }

    private let release: Int64
    private let version: String
    /// Whether no other release offers the version, so that reports without a release are about this one.
    private let isOnlyRelease: Bool
    private let since: Timestamp
    /// The devices at the latest plan step; `nil` before the first.
    private let step: HealthStep?
    /// The names of the versions by the numbers of the store.
    private let versions: [Int64: String]
    private let metrics: Set<HealthMetric>
    private var own = Group()
    private var control = Group()
    /// The devices whose reports about the version count for no release.
    private var unattributed = DeviceUnion()

    /// - Parameters:
    ///   - since: The time from which reports count, at the beginning of an hour.
    ///   - step: The devices at the latest plan step; `nil` before the first.
    package init(
        of release: Release, isOnlyRelease: Bool, judging metrics: Set<HealthMetric>, since: Timestamp,
        after step: HealthStep? = nil, versions: [Int64: String]
    ) {
        self.release = release.id.value
        version = release.version.text
        self.isOnlyRelease = isOnlyRelease
        self.metrics = metrics
        self.since = since
        self.step = step
        self.versions = versions
    }

    /// The query whose totals are to be added.
    package static func query(since: Timestamp, at now: Timestamp) -> ReportQuery {
        ReportQuery(from: since, to: nil, bucket: .hour, filters: [:], groups: [], at: now)
    }

    /// Adds a total of the package.
    package mutating func add(_ total: ReportTotal) {
        guard total.key.span == .hour, total.key.start >= since else { return }
        if versions[total.key.version] != version {
            Self.add(total, to: &control, metrics)
        } else if total.key.release == release || total.key.release == 0 && isOnlyRelease {
            Self.add(total, to: &own, metrics)
        } else if total.key.release == 0 {
            unattributed.insert(total.devices)
        }
    }

    private static func add(_ total: ReportTotal, to group: inout Group, _ metrics: Set<HealthMetric>) {
        group.devices.insert(total.devices)
        for metric in metrics where metric.events.contains(total.key.event) {
            if metric == .loadTime {
                group.loading.insert(total.devices)
                group.durations.merge(total.durations)
            } else {
                group.affected[metric, default: DeviceUnion()].insert(total.devices)
            }
        }
    }

    /// The sums of the added totals.
    package var counts: HealthCounts {
        let release = Self.counts(own)
        return HealthCounts(
            release: release, control: Self.counts(control),
            devicesSinceStep: step?.added(own.devices.sketch) ?? release.devices,
            unattributed: unattributed.sketch.count)
    }

    private static func counts(_ group: Group) -> HealthCounts.Group {
        HealthCounts.Group(
            devices: group.devices.sketch.count, affected: group.affected.mapValues(\.sketch.count),
            loading: group.loading.sketch.count, durations: group.durations)
    }
}

/// The numbers of devices from which a release is judged.
package struct HealthCounts: Sendable, Equatable {
    /// The numbers of one group of devices.
    package struct Group: Sendable, Equatable {
        /// The devices that reported anything.
        package var devices: Int
        package var affected: [HealthMetric: Int]
        /// The devices that reported page loads.
        package var loading: Int
        /// The durations of all page loads.
        package var durations: DurationSketch

        package init(
            devices: Int = 0, affected: [HealthMetric: Int] = [:], loading: Int = 0,
            durations: DurationSketch = DurationSketch()
        ) {
            self.devices = devices
            self.affected = affected
            self.loading = loading
            self.durations = durations
        }

        /// Returns the devices that a rule is about, and those that its metric affects.
        ///
        /// Page loads are not counted by device, so the share of slow ones is applied to the devices with page loads.
        func share(of rule: HealthRule) -> HealthShare {
            guard rule.metric == .loadTime, let limit = rule.slowerThan else {
                return HealthShare(devices: devices, affected: affected[rule.metric] ?? 0)
            }
            let loads = durations.count
            guard loads > 0 else { return HealthShare(devices: 0, affected: 0) }
            let slow = Double(durations.count(above: limit)) / Double(loads)
            return HealthShare(devices: loading, affected: Int(slow * Double(loading)))
        }
    }

    /// The devices that have the release.
    package var release: Group
    /// The devices with other versions of the package.
    package var control: Group
    /// The devices with the release that had not reported about its version when the latest plan step began.
    package var devicesSinceStep: Int
    /// The devices that reported about the version without a release, if several releases offer it.
    package var unattributed: Int

    package init(
        release: Group = Group(), control: Group = Group(), devicesSinceStep: Int = 0, unattributed: Int = 0
    ) {
        self.release = release
        self.control = control
        self.devicesSinceStep = devicesSinceStep
        self.unattributed = unattributed
    }
}
