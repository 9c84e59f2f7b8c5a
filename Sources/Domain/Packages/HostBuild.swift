/// A build of the host app, with the native APIs that it has for pages.
package struct HostBuild: Sendable, Equatable {
    /// As devices send it.
    package let appVersion: String
    /// Sorted.
    package let apis: [String]

    /// Builds of an app at most.
    package static let maximumCount = 1_000
    /// APIs of a build at most.
    package static let maximumAPIs = 1_000

    /// Fails for an appVersion that is empty or longer than a fact may be, for names that are none, and for too many.
    package init?(appVersion: String, apis: [String]) {
        guard (1...DeviceFacts.maximumLength).contains(appVersion.utf8.count), apis.count <= Self.maximumAPIs,
            apis.allSatisfy(VersionRequirements.isAPIName)
        else { return nil }
        self.appVersion = appVersion
        self.apis = Array(Set(apis)).sorted()
    }
}

/// A build of the host app as it is registered.
package struct RegisteredBuild: Sendable, Equatable {
    package let build: HostBuild
    package let changedAt: Timestamp

    package init(_ build: HostBuild, changedAt: Timestamp) {
        self.build = build
        self.changedAt = changedAt
    }
}

extension HostBuild {
    /// Whether the appVersion is in Unicode Normalization Form C, as a new build's has to be.
    ///
    /// Strings compare by canonical equivalence and a store by bytes; two forms of one name would be two rows of it.
    package var hasNormalizedName: Bool { Normalization.nfc(appVersion).utf8.elementsEqual(appVersion.utf8) }

    /// The build under the name of an equal one, byte for byte.
    package func named(as stored: HostBuild) -> HostBuild {
        HostBuild(appVersion: stored.appVersion, sorted: apis)
    }

    private init(appVersion: String, sorted apis: [String]) {
        self.appVersion = appVersion
        self.apis = apis
    }

    /// The entity tag of the build: the same for the same APIs.
    package func tag(by cryptography: any Cryptography) -> String {
        String(tagOf: .array(apis.map { .string($0) }), by: cryptography)
    }

    /// Builds that a refusal names as candidates for removal.
    private static let namedCandidates = 3

    /// Throws `conflict` if an app has as many builds as it may; the error names the three that changed longest
    /// ago.
    package static func requireRoom(beside builds: [RegisteredBuild], in app: AppID) throws(PlatformError) {
        guard builds.count >= maximumCount else { return }
        let oldest = builds.sorted { ($0.changedAt, $0.build.appVersion) < ($1.changedAt, $1.build.appVersion) }
        let names = oldest.prefix(namedCandidates).map { "'\(ShownText.of($0.build.appVersion.utf8))'" }
        throw PlatformError(
            .conflict,
            "'\(app)' has \(builds.count) builds, the most there may be. Delete builds that no device has any more, which takes "
                + "the role '\(Role.releaser.rawValue)': DELETE /api/v1/apps/\(app)/builds/{appVersion}. Those that changed longest "
                + "ago are \(names.joined(separator: ", ")).")
    }
}
