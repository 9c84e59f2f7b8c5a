package import Ground

/// Everything that the answers to an app's devices are made of, read in one transaction.
package struct AppState: Sendable {
    package let app: AppID
    package let channels: Set<ChannelName>
    package let packages: [Package]
    /// By package, every release on every channel.
    package let releases: [PackageID: [Release]]
    /// By package, the facts of every version that devices may be offered now or later (``PatchPlan/offered(_:at:)``).
    package let versions: [PackageID: [VersionString: ReleasedVersion]]
    /// By package, what builds of the app ship, the newest build first.
    package let shipped: [PackageID: [VersionString]]
    /// The lists of devices that its releases may name.
    package let deviceLists: [DeviceListSummary]
    /// By appVersion, the native APIs of each host build that was registered.
    package let builds: [String: Set<String>]
    package let configVersion: Int64
    /// Of the last event; 0 before the first.
    package let sequence: Int64
    /// The latest activeTime, or step of a plan, whose event was appended: decisions are never made for an instant before
    /// it.
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
}

/// A version as answers name it: its settings and what can be downloaded.
package struct ReleasedVersion: Sendable, Equatable {
    package let version: VersionString
    package let entry: TreePath?
    package let urlPrefix: URLPrefix
    package let full: SignedArtifact
    /// From whichever bases there are.
    package let patches: [SignedArtifact]
    package let demand: PatchDemand
    /// Full archives in further layouts.
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
