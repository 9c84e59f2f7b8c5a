package import Domain
import Execution
package import Ground
import Synchronization

/// The versions of a package that seen devices use, and the reasons why some do not use the newest one.
package struct Adoption: Sendable {
    /// The limit on the devices and on the reports that one request examines.
    package static let maximumDevices = 100_000
    package static let maximumReports = 200_000
    /// The number of causes from which on failures are counted without their reasons.
    package static let maximumCauses = 200
    /// The limit on the requests that wait for another one's count.
    package static let maximumWaiting = 8
    static let reportPage = 20_000
    /// The numbers of days that a request may ask for.
    package static let days = [1, 7, 30]

    package let instant: Timestamp
    package let days: Int
    /// The release whose version other versions are compared with; `nil` if the channel has none.
    package let release: Release?
    /// The devices seen in these days.
    package internal(set) var seen = 0
    /// The devices by the published version that they use.
    package internal(set) var versions: [VersionString: Int] = [:]
    /// The devices that use a version that was never published, that have no version, and whose version is unknown.
    package internal(set) var unpublished = 0
    package internal(set) var noVersion = 0
    package internal(set) var unknownVersion = 0
    /// The devices that use another published version than that of ``release``, by cause.
    package internal(set) var causes: [AdoptionCause: Int] = [:]
    /// Whether devices or reports beyond the limits were left out.
    package internal(set) var areDevicesTruncated = false
    package internal(set) var areReportsTruncated = false
    package internal(set) var since: Timestamp?
    /// The devices that sent more than is stored.
    package internal(set) var cut = 0
    package let figures: DevicesSeen.Figures
    /// The numbers of each day, newest first.
    package internal(set) var history: [AdoptionDay] = []

    /// Counts a device; past the limit without the reason, which devices may invent.
    fileprivate mutating func add(_ cause: AdoptionCause) {
        var cause = cause
        if case .failed(let event, _) = cause, causes[cause] == nil, causes.count >= Self.maximumCauses {
            cause = .failed(event: event, reason: nil)
        }
        causes[cause, default: 0] += 1
    }

    /// The devices that use another published version than that of ``release``.
    package var otherVersion: Int { causes.values.reduce(0, +) }
}

extension DevicesSeen {
    /// Counts the seen devices of a channel by the version of a package that they use.
    ///
    /// One count runs at a time, further ones wait, apps in turn. Throws `conflict` if the server records no devices, and
    /// `busy` if ``Adoption/maximumWaiting`` wait.
    ///
    /// - Parameter release: The release whose version other versions are compared with.
    package func adoption(
        of package: Package, on channel: ChannelName, release: Release?, days: Int
    ) async throws(PlatformError) -> Adoption {
        let app = try live.requireApp(package.app)
        try requireOn()
        let adoption = try await adopting.pass(as: package.app) { () throws(PlatformError) in
            let now = app.decisionInstant(clock.now())
            let seenChannel = SeenChannel(app: package.app, channel: channel)
            var check: LiveApps.AudienceCheck?
            if let release { check = try await live.audienceCheck(for: release, at: max(now, release.activeTime)) }
            let published = try await adoptions.publishedVersions(of: package.app)[package.id] ?? []
            var adoption = Adoption(instant: now, days: days, release: release, figures: figures)
            adoption.since = try await store.seenChannels()[seenChannel]
            adoption.history = try await adoptions.adoptionDays(of: package.id, in: seenChannel)
            let reports = try await reports(about: package, release?.version)
            adoption.areReportsTruncated = reports.isTruncated
            let tally = AdoptionTally(
                adoption, of: package.id, published: published, audienceCheck: check, reports: reports)
            var last: DeviceKey?
            var examined = 0
            while true {
                try Self.requireRunning()
                let page = try await store.seenDevices(in: seenChannel, after: last, upTo: Self.pageSize)
                examined += page.count
                last = page.last?.key
                await work.run { [page] in tally.add(page) }
                guard page.count == Self.pageSize else { break }
                guard examined < Adoption.maximumDevices else {
                    let isTruncated = try await !store.seenDevices(in: seenChannel, after: last, upTo: 1).isEmpty
                    if isTruncated { tally.markTruncated() }
                    break
                }
            }
            return tally.adoption
        }
        guard let adoption else {
            throw PlatformError(.busy, "Too many requests for the versions in use wait. Try again in a moment.")
        }
        return adoption
    }

    /// Reads the newest reports about a package, page by page.
    private func reports(
        about package: Package, _ version: VersionString?
    ) async throws(PlatformError) -> LatestReports {
        var reports = LatestReports(of: package.app, version: version, deviceIDs: deviceIDs)
        var end: Int64?
        var examined = 0
        repeat {
            let page = try await adoptions.installationReports(
                of: package.id, in: package.app, before: end, examining: Adoption.reportPage)
            reports = await work.run { [reports] in reports.adding(page.reports) }
            examined += Adoption.reportPage
            end = page.next
        } while end != nil && examined < Adoption.maximumReports
        reports.isTruncated = end != nil
        return reports
    }
}

/// The latest reports of each device about a package.
private struct LatestReports: Sendable {
    let app: AppID
    let version: VersionString?
    let deviceIDs: DeviceIDs
    /// The latest report of a device about the version.
    private(set) var own: [DeviceKey: InstallationReport] = [:]
    /// The version of the latest report of a device that shows what it uses.
    private(set) var used: [DeviceKey: VersionString] = [:]
    var isTruncated = false

    init(of app: AppID, version: VersionString?, deviceIDs: DeviceIDs) {
        self.app = app
        self.version = version
        self.deviceIDs = deviceIDs
    }

    /// Returns a copy with older reports, newest first.
    func adding(_ reports: [InstallationReport]) -> LatestReports {
        var copy = self
        for report in reports {
            guard let key = deviceIDs.key(ofStored: report.device, in: app) else { continue }
            if report.version == version, copy.own[key] == nil, InstallationEvent(report.event) != .other {
                copy.own[key] = report
            }
            if copy.used[key] == nil, InstallationEvent(report.event) == .installed { copy.used[key] = report.version }
        }
        return copy
    }
}

/// A counter of seen devices by version in use, page by page.
private final class AdoptionTally: Sendable {
    private struct State {
        var adoption: Adoption
        var reader = SeenFactsReader()
    }

    private let package: PackageID
    private let published: Set<VersionString>
    private let audienceCheck: LiveApps.AudienceCheck?
    private let reports: LatestReports
    private let state: Mutex<State>

    init(
        _ adoption: Adoption, of package: PackageID, published: Set<VersionString>,
        audienceCheck: LiveApps.AudienceCheck?, reports: LatestReports
    ) {
        self.package = package
        self.published = published
        self.audienceCheck = audienceCheck
        self.reports = reports
        state = Mutex(State(adoption: adoption))
    }

    var adoption: Adoption { state.withLock { $0.adoption } }

    func markTruncated() { state.withLock { $0.adoption.areDevicesTruncated = true } }

    func add(_ devices: [SeenDevice]) {
        state.withLock { state in
            let window = SeenWindow(endingAt: state.adoption.instant)
            for device in devices where window.contains(device.seenAt, days: state.adoption.days) {
                let facts = state.reader.facts(of: device)
                count(device, facts, in: &state.adoption)
            }
        }
    }

    private func count(_ device: SeenDevice, _ facts: DeviceFacts, in adoption: inout Adoption) {
        adoption.seen += 1
        if device.isCut { adoption.cut += 1 }
        // A package that is not stored may be one that the device sent.
        let own = facts.holdings.flatMap { $0.versions[package] ?? (device.isCut ? nil : []) }
        guard let own = own ?? reports.used[device.key].map({ [$0] }) else {
            adoption.unknownVersion += 1
            return
        }
        guard let used = own.first else {
            adoption.noVersion += 1
            return
        }
        guard published.contains(used) else {
            adoption.unpublished += 1
            return
        }
        adoption.versions[used, default: 0] += 1
        guard let release = adoption.release, let audienceCheck, used != release.version else { return }
        let refusal = audienceCheck.refusal(of: facts)
        let cause = AdoptionCause(
            of: AdoptionCause.Facts(
                refusal: refusal, seenAt: device.seenAt, network: facts[.network],
                holdsVersion: own.contains(release.version), lastReport: reports.own[device.key],
                downloadAfter: refusal == nil ? audienceCheck.downloadAfter(of: facts) : nil),
            for: release, at: adoption.instant)
        adoption.add(cause)
    }
}
