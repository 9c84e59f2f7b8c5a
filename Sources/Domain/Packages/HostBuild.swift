package import Ground

/// A build of the host app, with its native APIs for pages.
package struct HostBuild: Sendable, Equatable {
    /// The appVersion as devices send it.
    package let appVersion: String
    /// The sorted names of the APIs.
    package let apis: [String]

    /// The limit on the builds of an app.
    package static let maximumCount = 1_000
    /// The limit on the APIs of a build.
    package static let maximumAPIs = 1_000

    /// Fails for an appVersion that is empty or longer than a fact, for invalid API names, and for too many.
    package init?(appVersion: String, apis: [String]) {
        guard (1...DeviceFacts.maximumLength).contains(appVersion.utf8.count), apis.count <= Self.maximumAPIs,
            apis.allSatisfy(VersionRequirements.isAPIName)
        else { return nil }
        self.appVersion = appVersion
        self.apis = Array(Set(apis)).sorted()
    }
}

/// A registered build of the host app.
package struct RegisteredBuild: Sendable, Equatable {
    package let build: HostBuild
    package let changedAt: Timestamp

    package init(_ build: HostBuild, changedAt: Timestamp) {
        self.build = build
        self.changedAt = changedAt
    }
}

extension HostBuild {
    /// Whether the appVersion is in Unicode Normalization Form C, as a new build's must be.
    ///
    /// Strings compare by canonical equivalence and a store by bytes; two forms of one name would become two rows.
    package var hasNormalizedName: Bool { Normalization.nfc(appVersion).utf8.elementsEqual(appVersion.utf8) }

    /// Returns the build with the appVersion of an equal stored build, byte for byte.
    package func named(as stored: HostBuild) -> HostBuild {
        HostBuild(appVersion: stored.appVersion, sorted: apis)
    }

    private init(appVersion: String, sorted apis: [String]) {
        self.appVersion = appVersion
        self.apis = apis
    }

    /// Returns the entity tag of the build; equal APIs have equal tags.
    package func tag(by cryptography: any Cryptography) -> String {
        String(tagOf: .array(apis.map { .string($0) }), by: cryptography)
    }

    /// The number of builds that an error message names as candidates for removal.
    private static let namedCandidates = 3

    /// Throws `conflict` if an app has the maximum number of builds, and names the three that changed longest ago.
    package static func requireRoom(beside builds: [RegisteredBuild], in app: AppID) throws(PlatformError) {
        guard builds.count >= maximumCount else { return }
        let oldest = builds.sorted { ($0.changedAt, $0.build.appVersion) < ($1.changedAt, $1.build.appVersion) }
        let names = oldest.prefix(namedCandidates).map { "'\(ShownText.of($0.build.appVersion.utf8))'" }
        throw PlatformError(
            .conflict,
            "The app '\(app)' has \(builds.count) builds, which is the limit. Delete builds that no device has any more; "
                + "this requires the role '\(Role.releaser.rawValue)':", remedy: .deleteBuild(of: app),
            ". The builds that changed longest ago are \(names.joined(separator: ", ")).")
    }
}
