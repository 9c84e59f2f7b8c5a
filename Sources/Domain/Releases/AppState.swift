package import Ground

/// The state from which the responses to an app's devices are made, read in one transaction.
package struct AppState: Sendable {
    package let app: AppID
    package let channels: Set<ChannelName>
    package let packages: [Package]
    /// The releases of all channels, by package.
    package private(set) var releases: [PackageID: [Release]]
    /// The versions that devices may be offered now or later, by package (``PatchCoverage/offered(_:at:)``).
    package let versions: [PackageID: [VersionString: ReleasedVersion]]
    /// The versions that builds of the app ship, by package, newest build first.
    package let shipped: [PackageID: [VersionString]]
    /// The device lists that releases may name.
    package let deviceLists: [DeviceListSummary]
    /// The native APIs of each registered host build, by appVersion.
    package let builds: [String: Set<String>]
    package let configVersion: Int64
    /// The sequence of the last event; 0 before the first.
    package let sequence: Int64
    /// The latest activeTime or plan step whose event was recorded; decisions are never made for an earlier instant.
    package let lastActivation: Timestamp?

    package init(
        app: AppID, channels: Set<ChannelName>, packages: [Package], releases: [PackageID: [Release]],
        versions: [PackageID: [VersionString: ReleasedVersion]], shipped: [PackageID: [VersionString]],
        deviceLists: [DeviceListSummary] = [], builds: [String: Set<String>] = [:], configVersion: Int64,
        sequence: Int64, lastActivation: Timestamp?
    ) {
        self.app = app
        self.channels = channels
        self.packages = packages
        self.releases = releases
        self.versions = versions
        self.shipped = shipped
        self.deviceLists = deviceLists
        self.builds = builds
        self.configVersion = configVersion
        self.sequence = sequence
        self.lastActivation = lastActivation
    }

    /// Returns the state with each release as it goes on after an instant if it stays healthy.
    package func stayingHealthy(from instant: Timestamp) -> AppState {
        var changed = self
        changed.releases = releases.mapValues { own in own.map { $0.stayingHealthy(from: instant) } }
        return changed
    }
}

/// A version with the facts that responses name: its settings, archives and patches.
package struct ReleasedVersion: Sendable, Equatable {
    package let version: VersionString
    package let entry: TreePath?
    package let urlPrefix: URLPrefix
    package let full: SignedArtifact
    /// The patches from any base.
    package let patches: [SignedArtifact]
    package let demand: PatchDemand
    /// The full archives in further layouts.
    package let archives: [Layout: Artifact]

    package init(
        version: VersionString, entry: TreePath?, urlPrefix: URLPrefix, full: SignedArtifact,
        patches: [SignedArtifact], demand: PatchDemand = PatchDemand(), archives: [Layout: Artifact] = [:]
    ) {
        self.version = version
        self.entry = entry
        self.urlPrefix = urlPrefix
        self.full = full
        self.patches = patches
        self.demand = demand
        self.archives = archives
    }
}
