package import Domain
import Execution
import Synchronization

/// Makes releases, together with the patches that they need.
package final class Releaser: Sendable {
    let live: LiveApps
    let keys: KeyRing
    let blobs: any BlobStore
    let builder: PatchBuilder
    let dialects: DialectKeeper
    let devicesSeen: DevicesSeen
    let clock: any WallClock
    /// Building holds a thread and the disk; nothing that an app's changes wait for goes through here.
    let builds = AsyncGate(width: 2)
    /// Pairs for which building gave an incremental archive alone: not to be built at every release.
    let withoutDelta = Mutex<[PackageName: Set<VersionPair>]>([:])

    struct PackageName: Hashable {
        let app: AppID
        let package: PackageID
    }

    /// How often the patches of a release are built beside other changes, before the changes have to wait for them.
    static let attempts = 3

    package init(
        live: LiveApps, keys: KeyRing, blobs: any BlobStore, builder: PatchBuilder, dialects: DialectKeeper,
        devicesSeen: DevicesSeen, clock: any WallClock
    ) {
        self.live = live
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.dialects = dialects
        self.devicesSeen = devicesSeen
        self.clock = clock
    }

    /// A release that was made, and how it stands to the others of its package and channel.
    package struct Outcome: Sendable {
        package let release: Release
        package let shadowing: Shadowing
        /// All of its package, as they then are.
        package let releases: [Release]
        /// False where patches to its version could not be signed: until they are, devices get the full archive.
        package let arePatchesReady: Bool
    }

    /// Offers a version.
    ///
    /// Throws `channelNotFound`, `versionNotFound`, `versionRetired`, `listNotFound`, `releaseExists`, `dependentsLost`
    /// unless it is forced, and `conflict` where a dialect of the package is not for the version.
    package func release(
        _ draft: ReleaseDraft, isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        try await release(Making(Intent(draft: draft, takingBack: nil), isForced: isForced), by: author)[0]
    }

    /// The release that a draft would give, without its number; nothing is made.
    ///
    /// Throws what making it would, but for what concerns lists, dialects, patches and a release that is there already.
    package func rehearse(_ draft: ReleaseDraft) async throws(PlatformError) -> Release {
        let app = try live.requireApp(draft.app)
        _ = try app.requireView(of: draft.channel)
        var draft = draft
        draft.refusesDuplicate = false
        return try await plans(Making(Intent(draft: draft, takingBack: nil), isForced: true), of: app)[0].release
    }

    /// What is to be made.
    struct Intent: Sendable {
        let draft: ReleaseDraft
        /// A release that it takes the place of, as it then is.
        let takingBack: Release?
    }

    /// What is made in one transaction: a release of its own, or a set.
    struct Making: Sendable {
        /// Never empty; those of a set are of different packages, on one channel, with the same terms and moment.
        let intents: [Intent]
        let isSet: Bool
        /// Whether devices may lose releases of other packages by it.
        let isForced: Bool

        init(_ intent: Intent, isForced: Bool) { (intents, isSet, self.isForced) = ([intent], false, isForced) }

        init(set intents: [Intent], isForced: Bool) {
            (self.intents, isSet, self.isForced) = (intents, true, isForced)
        }

        var app: AppID { intents[0].draft.app }
        var channel: ChannelName { intents[0].draft.channel }
    }
}

extension PlatformError {
    static func noVersion(_ version: VersionString, of package: PackageID) -> PlatformError {
        PlatformError(
            .versionNotFound, "'\(package)' has no version \(version). Publish it first, or see which there are.")
    }
}
