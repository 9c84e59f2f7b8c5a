import Domain
import Ground
import Testing

/// A package over months, with the blobs that responses named, recorded independently of the rule's input.
struct RetentionWorld {
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    private(set) var now = start
    private(set) var versions: [RetentionFacts.Version] = []
    private(set) var artifacts: [RetentionFacts.Artifact] = []
    private(set) var releases: [Release] = []
    private var marks: [Int64: Timestamp] = [:]
    /// The last time at which each blob was named.
    private var lastNamed: [SHA256Digest: Timestamp] = [:]
    private var named: Set<SHA256Digest> = []
    private var lastNumber: Int64 = 0

    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 32 | state << 32
        }
    }

    var facts: RetentionFacts {
        let marked = artifacts.map { artifact in
            RetentionFacts.Artifact(
                number: artifact.number, version: artifact.version, base: artifact.base, kind: artifact.kind,
                layout: artifact.layout, blob: artifact.blob, size: artifact.size,
                unreferencedSince: marks[artifact.number])
        }
        return RetentionFacts(versions: versions, artifacts: marked, releases: releases)
    }

    /// Returns the blobs that responses name, by the rules of releases alone.
    static func named(_ facts: RetentionFacts, at instant: Timestamp) -> Set<SHA256Digest> {
        var named: Set<SHA256Digest> = []
        let decision = facts.releases.decision(at: instant)
        for release in [decision.current?.release, decision.next?.release].compactMap({ $0 }) {
            let bases = PatchCoverage.bases(
                of: release, among: facts.releases, shipped: facts.shipped, archiveSize: 1000)
            let own = facts.artifacts.filter { $0.version == release.version }
            named.formUnion(own.filter { $0.base == nil }.map(\.blob))
            for base in bases {
                let smallest = own.filter { $0.base == base }.min { $0.size < $1.size }
                if let smallest { named.insert(smallest.blob) }
            }
        }
        return named
    }

    // MARK: What happens

    mutating func publish(_ text: String) {
        guard let version = VersionString(text) else { return }
        lastNumber += 1
        versions.append(.init(number: lastNumber, version: version, publishedAt: now, fileCount: 3))
        add(version, base: nil, kind: "full", size: 1000)
    }

    /// Releases a version with the patches that releasing builds.
    mutating func release(_ text: String, in delay: Int64 = 0) {
        guard let version = VersionString(text), let package = PackageID("news"),
            let salt = Salt(bytes: Array(repeating: 7, count: Salt.length))
        else { return }
        let activeTime = now.adding(milliseconds: delay)
        let rank = Rank.assigned(createdAt: now, activeTime: activeTime, taken: Set(releases.map(\.rank)))
        releases.append(
            Release(
                id: ReleaseID(Int64(releases.count + 1)), app: .default, package: package, channel: .production,
                version: version, terms: ReleaseTerms(salt: salt), activeTime: activeTime, createdAt: now, rank: rank))
        for release in PatchCoverage.offered(releases, at: now) {
            for base in PatchCoverage.initialBases(of: release, among: releases, shipped: []) {
                // The files for the patch exist.
                #expect(versions.contains { $0.version == base })
                let isThere = artifacts.contains { $0.version == release.version && $0.base == base }
                if !isThere { add(release.version, base: base, kind: "delta", size: 100) }
            }
        }
        refresh()
    }

    /// Adds a smaller patch beside an existing one.
    mutating func improve(base: String, target: String) {
        guard let fast = artifacts.first(where: { $0.base?.text == base && $0.version.text == target }) else { return }
        add(fast.version, base: fast.base, kind: "delta", size: fast.size - 1)
        refresh()
    }

    mutating func improveAny(using random: inout Random) {
        guard let patch = artifacts.filter({ $0.base != nil }).randomElement(using: &random) else { return }
        improve(base: patch.base?.text ?? "", target: patch.version.text)
    }

    /// Advances the clock; releases become active at their times.
    mutating func advance(by milliseconds: Int64) {
        let end = now.adding(milliseconds: milliseconds)
        while let boundary = releases.boundary(at: now), boundary <= end {
            now = boundary
            refresh()
        }
        now = end
        for blob in named { lastNamed[blob] = now }
    }

    mutating func note(_ number: Int64, at instant: Timestamp) { marks[number] = instant }

    mutating func noteAllUnnamed(at instant: Timestamp?) {
        for artifact in artifacts where !named.contains(artifact.blob) { marks[artifact.number] = instant }
    }

    /// Marks artifacts and removes those that the rule permits; checks that none was named within the grace period.
    ///
    /// Returns the number of removed artifacts.
    mutating func prune(by policy: RetentionPolicy) throws -> Int {
        for artifact in artifacts where !named.contains(artifact.blob) && marks[artifact.number] == nil {
            marks[artifact.number] = now
        }
        let verdict = Retention(policy).judge(facts, named: named, at: now, standingAt: now)
        let going = verdict.artifacts.filter(\.ruling.goes).map(\.artifact)
        for artifact in going {
            #expect(!named.contains(artifact.blob))
            if let last = lastNamed[artifact.blob] {
                #expect(now.milliseconds - last.milliseconds >= Int64(policy.graceHours) * 3_600_000)
            }
        }
        let numbers = Set(going.map(\.number))
        let goingVersions = verdict.versions.filter(\.ruling.goes).map(\.version)
        #expect(versions.count - goingVersions.count >= min(versions.count, policy.keepVersions ?? 0))
        for version in goingVersions {
            let own = artifacts.filter { $0.version == version.version || $0.base == version.version }
            #expect(own.allSatisfy { numbers.contains($0.number) })
        }
        artifacts.removeAll { numbers.contains($0.number) }
        versions.removeAll { goingVersions.contains($0) }
        // A removal changes no response.
        #expect(Self.named(facts, at: now) == named)
        return going.count
    }

    private mutating func add(_ version: VersionString, base: VersionString?, kind: String, size: Int) {
        lastNumber += 1
        let tail = (0..<8).map { UInt8(truncatingIfNeeded: lastNumber >> (8 * (7 - $0))) }
        guard let blob = SHA256Digest(bytes: Array(repeating: 0, count: 24) + tail) else { return }
        artifacts.append(
            .init(
                number: lastNumber, version: version, base: base, kind: kind, layout: .appFolder, blob: blob,
                size: size, unreferencedSince: nil))
    }

    private mutating func refresh() {
        for blob in named { lastNamed[blob] = now }
        named = Self.named(facts, at: now)
        for artifact in artifacts where named.contains(artifact.blob) { marks[artifact.number] = nil }
    }
}
