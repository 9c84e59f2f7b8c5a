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
