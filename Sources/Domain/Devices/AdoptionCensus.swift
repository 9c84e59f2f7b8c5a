/// The number of devices that used a version on a day, as it is kept.
package struct AdoptionDay: Sendable, Equatable {
    /// The limit on the versions of a package that are kept for a day, those with the most devices.
    package static let maximumVersions = 100
    /// The limit on the rows of a response, the newest ones.
    package static let maximumRows = 10_000

    /// The UTC day, counted from 1970.
    package let day: UInt16
    package let version: VersionString
    package let devices: Int

    package init(day: UInt16, version: VersionString, devices: Int) {
        self.day = day
        self.version = version
        self.devices = devices
    }
}

/// A count of devices by the published version that they use.
package struct AdoptionCensus: Sendable {
    private let published: [PackageID: Set<VersionString>]
    private var counts: [PackageID: [VersionString: Int]] = [:]

    /// - Parameter published: The versions that count; devices may send any text.
    package init(of published: [PackageID: Set<VersionString>]) {
        self.published = published
    }

    /// Adds a device.
    package mutating func add(_ holdings: Holdings) {
        for (package, versions) in holdings.versions {
            guard let used = versions.first, published[package]?.contains(used) ?? false else { continue }
            counts[package, default: [:]][used, default: 0] += 1
        }
    }

    /// The numbers of devices of up to ``AdoptionDay/maximumVersions`` versions of each package.
    package var versions: [PackageID: [VersionString: Int]] {
        counts.mapValues { counts in
            let most = counts.sorted { ($0.value, $1.key.text) > ($1.value, $0.key.text) }
            return Dictionary(uniqueKeysWithValues: most.prefix(AdoptionDay.maximumVersions).map { ($0.key, $0.value) })
        }
    }
}
