package import Domain

/// A device with plain facts, so that a test can apply the rules itself.
package struct WorldDevice {
    package let number: Int
    package let sendsID: Bool
    let sendsBucket: Bool
    let platform: String?
    let region: String?
    /// The number after `8.`.
    let app: Int?
    let level: Int?
    /// The bucket, derived from the id if the device sends it.
    let bucket: Bucket?
    private let identity: DeviceIdentity?
    /// Whether the device reports its versions.
    package let reportsVersions: Bool
    /// The version in use and then the downloaded ones, by package.
    package private(set) var have: [PackageID: [Int]] = [:]

    package static let population = 100_000

    /// Creates a device, which depends on its number and the seed.
    package init(_ number: Int, of seed: UInt64) {
        var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
        self.number = number
        let naming = Int.random(in: 0..<100, using: &random)
        sendsID = naming < 70
        sendsBucket = naming >= 60 && naming < 85
        identity = sendsID ? BucketOrders.identity("device-\(number)") : nil
        bucket = identity?.bucket ?? (sendsBucket ? Bucket(number % Bucket.count) : nil)
        platform = random.pick(["ios", "ios", "android", nil]) ?? nil
        region = random.pick(["CN", "CN", "US", "SG", nil]) ?? nil
        app = random.pick([0, 1, 2, 3, 4, 5, nil]) ?? nil
        level = random.chance(80) ? Int.random(in: 0...20, using: &random) : nil
        reportsVersions = random.chance(60)
        guard reportsVersions else { return }
        for package in ReleaseWorld.packages where random.chance(60) {
            have[package] = [Int.random(in: 1...ReleaseWorld.versionCount, using: &random)]
        }
    }

    static func isOnWhitelist(_ number: Int) -> Bool { number % 97 == 0 }
    static func isExcluded(_ number: Int) -> Bool { number % 89 == 0 }

    package var facts: DeviceFacts {
        var facts = DeviceFacts()
        facts.identity = identity
        if sendsBucket { facts.sentBucket = Bucket(number % Bucket.count) }
        facts[.platform] = platform
        facts[.region] = region
        facts[.appVersion] = app.map { "8.\($0)" }
        facts[.attribute("level")] = level.map(String.init)
        if reportsVersions {
            facts.holdings = Holdings(
                have.sorted { $0.key < $1.key }.flatMap { package, versions in
                    versions.map { "\(package)@\($0).0" }
                }.joined(separator: ","))
        }
        return facts
    }

    /// Switches to a version and keeps the former ones.
    package mutating func install(_ version: Int, of package: PackageID) {
        let others = (have[package] ?? []).filter { $0 != version }
        have[package] = [version] + others.prefix(2)
    }
}
