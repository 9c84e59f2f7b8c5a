package import Domain
package import Ground

/// The use cases that take a package off devices at once, or let its pages come from the network (semantics.md §12).
package struct KillSwitch: Sendable {
    private let live: LiveApps
    private let publisher: Publisher
    private let releaser: Releaser
    private let catalogue: Catalogue
    private let versions: VersionCatalogue
    private let cryptography: any Cryptography
    private let clock: any WallClock

    /// The number of version names to try before the operator has to choose one.
    static let attempts = 100

    package init(
        live: LiveApps, publisher: Publisher, releaser: Releaser, catalogue: Catalogue,
        versions: VersionCatalogue, cryptography: any Cryptography, clock: any WallClock
    ) {
        self.live = live
        self.publisher = publisher
        self.releaser = releaser
        self.catalogue = catalogue
        self.versions = versions
        self.cryptography = cryptography
        self.clock = clock
    }

    /// The result of killing a package.
    package struct Kill: Sendable {
        /// The version that replaces it.
        package let version: VersionString
        /// The release that was made; `nil` in a dry run.
        package let release: Release?
        /// The active releases that devices may have, by falling rank.
        package let replaced: [Release]
        /// The scheduled releases, which will replace it.
        package let coming: [Release]
        package let effects: [Withdrawal.Effect]
        /// The releases of other packages that devices lose.
        package let losses: LossReport
    }

    /// Publishes a version whose pages lead to the network, and releases it to everyone, at once and mandatory.
    ///
    /// Throws `forbidden`, `channelNotFound`, `conflict` if the package is not enabled or devices have no version of it,
    /// `dependentsLost` unless forced, and the errors of publishing and releasing.
    ///
    /// - Parameter name: The version's name; `nil` to append a number to the highest version that releases offer or
    ///   builds ship, so that dependencies on the package stay met.
    package func kill(
        _ package: Package, on channel: ChannelName, leadingTo page: KillPage, as name: VersionString?,
        isDryRun: Bool, isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> Kill {
        let app = try live.requireApp(package.app)
        // Before a version is published for the release.
        try Releaser.require(author, on: channel, of: package.app)
        _ = try app.requireView(of: channel)
        guard package.isEnabled else {
            throw PlatformError(
                .conflict,
                "'\(package.id)' has 'enable' off, so no device would get the version. Turn 'enable' on first.")
        }
        let now = app.decisionInstant(clock.now())
        let releases = try await releaser.releases(of: package)
        // Devices may also have halted releases.
        let offered = PackageReleases.live(releases.filter { $0.channel == channel }, at: now)
        let replaced = offered.filter { $0.isActive(at: now) }
        let coming = offered.filter { !$0.isActive(at: now) }
        var held = replaced.map(\.version)
        if held.isEmpty { held = try await versions.shippedVersions(of: package) }
        guard let highest = Self.highest(held) else {
            throw PlatformError(
                .conflict,
                "Devices get no version of '\(package.id)' on '\(channel)', and no build ships one, so there is no version "
                    + "to replace.")
        }
        let version: VersionString
        if let name { version = name } else { version = try await freeName(above: highest, of: package) }
        let terms = ReleaseTerms(salt: .random(by: cryptography), isMandatory: true, updateMode: .immediate)
        let draft = ReleaseDraft(
            app: package.app, package: package.id, channel: channel, version: version, terms: terms, activeTime: nil)
        let losses = try await releaser.losses(making: draft)
        if !isDryRun, !isForced { try Releaser.require(losses) }
        var request = Publisher.Request(
            package: package, version: version, unwrapping: .never, isDryRun: isDryRun)
        request.urlPrefix = .killed
        // The package's rules are for its own pages, and may name URLs that this page must not match.
        request.resources = ResourceSettings()
        // A version named after an unorderable one is unorderable; the review above covers the losses of devices.
        request.needsOrder = false
        let dialects = live.dialects.rules(of: package.dialects)
        let files = page.files(entry: package.entry, dialects: dialects)
        _ = try await publisher.publish(request, of: files, by: author.unclaiming)
        let effects = Withdrawal.killed.effects(on: dialects)
        guard !isDryRun else {
            return Kill(
                version: version, release: nil, replaced: replaced, coming: coming, effects: effects, losses: losses)
        }
        let outcome = try await releaser.release(
            ReleaseRequest(draft), isForced: isForced, needsClearance: false, by: author)
        return Kill(
            version: version, release: outcome.status.group.members[0], replaced: replaced, coming: coming,
            effects: effects, losses: losses)
    }

    /// Lets the pages of a package come from the network until a given time; `nil` ends that.
    ///
    /// Throws `invalidRequest` if the time has passed, or lies further ahead than ``Package/maximumOnline``.
    package func serveOnline(
        _ package: Package, until end: (Timestamp) -> Timestamp?, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> (package: Package, effects: [Withdrawal.Effect]) {
        let app = try live.requireApp(package.app)
        let now = app.decisionInstant(clock.now())
        let end = end(now)
        if let end {
            guard end > now, end <= now.adding(milliseconds: Package.maximumOnline) else {
                throw PlatformError(
                    .invalidRequest,
                    "\(end) has passed, or is more than \(PlanDuration.text(Package.maximumOnline)) ahead. Give a time in "
                        + "between.")
            }
        }
        let changed = try await catalogue.putPackage(
            package.id, .init(onlineUntil: .some(end)), of: app, ifMatch: precondition, by: author
        ).package
        let effects = end == nil ? [] : Withdrawal.online.effects(on: live.dialects.rules(of: package.dialects))
        return (changed, effects)
    }

    /// Returns the highest version if all can be ordered, else the first.
    private static func highest(_ versions: [VersionString]) -> VersionString? {
        let ordered = versions.compactMap { version in
            OrderedVersion(version.text).map { (version: version, order: $0) }
        }
        guard ordered.count == versions.count else { return versions.first }
        return ordered.max { $0.order < $1.order }?.version
    }

    private func freeName(
        above highest: VersionString, of package: Package
    ) async throws(PlatformError) -> VersionString {
        for number in 1...Self.attempts {
            guard let name = VersionString("\(highest).\(number)") else { break }
            if try await !versions.isTaken(name, of: package) { return name }
        }
        throw PlatformError(
            .conflict, "No version string after \(highest) is free. Give one in 'version'.")
    }
}
