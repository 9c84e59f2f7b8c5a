package import Domain
import Ground

/// A release with its terms as plain numbers for the naive reading.
///
/// It is a class because unoptimized code would spend most of a simulation on copies of it.
package final class WorldRelease {
    package private(set) var release: Release
    let terms: Terms
    let needs: Needs
    package let version: Int
    /// The highest percentage that an operator set, in basis points.
    private(set) var byHand: Int
    /// Whether an operator dropped the rules.
    private(set) var droppedRules = false
    /// The pauses of its plan, without the current one.
    private(set) var stops: [Range<Int64>] = []
    private(set) var stoppedSince: Int64?
    package private(set) var isHalted = false
    package private(set) var hasEnded = false

    init(release: Release, terms: Terms, needs: Needs, version: Int, byHand: Int) {
        self.release = release
        self.terms = terms
        self.needs = needs
        self.version = version
        self.byHand = byHand
    }

    /// Returns a changed copy.
    func with(release: Release) -> WorldRelease { copy { $0.release = release } }

    func with(byHand: Int, droppingRules: Bool = false) -> WorldRelease {
        copy {
            $0.byHand = byHand
            if droppingRules { $0.droppedRules = true }
        }
    }

    func ended(as release: Release) -> WorldRelease {
        copy {
            $0.release = release
            $0.hasEnded = true
        }
    }

    func paused(at instant: Timestamp) -> WorldRelease { copy { $0.stoppedSince = instant.milliseconds } }

    func halted(at instant: Timestamp) -> WorldRelease {
        copy {
            $0.stoppedSince = $0.stoppedSince ?? instant.milliseconds
            $0.isHalted = true
        }
    }

    func resumed(at instant: Timestamp) -> WorldRelease {
        copy {
            if let since = $0.stoppedSince { $0.stops.append(since..<instant.milliseconds) }
            $0.stoppedSince = nil
            $0.isHalted = false
        }
    }

    private func copy(_ change: (WorldRelease) -> Void) -> WorldRelease {
        let copy = WorldRelease(release: release, terms: terms, needs: needs, version: version, byHand: byHand)
        copy.droppedRules = droppedRules
        copy.stops = stops
        copy.stoppedSince = stoppedSince
        copy.isHalted = isHalted
        copy.hasEnded = hasEnded
        change(copy)
        return copy
    }

    struct Terms {
        var platforms: [String]?
        var otherRegions: [String]?
        var lowestApp: Int?
        var levels: ClosedRange<Int>?
        var usesWhitelist = false
        var usesExcluded = false
        var steps: [(basisPoints: Int, after: Int64)] = []
        /// The index of the step from which on the rules do not apply.
        var firstStepWithoutRules: Int?
        var isMandatory = false
        var floor: (version: Int, offersToSilent: Bool)?
    }

    /// The requirements of its version.
    struct Needs {
        var lowestApp: Int?
        var highestApp: Int?
        var apis: [String] = []
        var common: ClosedRange<Int>?
    }

    /// Returns the percentage in basis points while the release is active.
    func share(at instant: Int64) -> Int { max(byHand, reachedSteps(at: instant).map(\.basisPoints).max() ?? 0) }

    /// Whether devices have to meet the rules.
    func hasRules(at instant: Int64) -> Bool {
        if droppedRules { return false }
        return terms.firstStepWithoutRules.map { reachedSteps(at: instant).count <= $0 } ?? true
    }

    private func reachedSteps(at instant: Int64) -> ArraySlice<(basisPoints: Int, after: Int64)> {
        let end = min(stoppedSince ?? instant, instant)
        let start = release.activeTime.milliseconds
        guard end >= start else { return [] }
        let stood = stops.map { max(0, $0.upperBound - max($0.lowerBound, start)) }.reduce(0, +)
        return terms.steps.prefix { $0.after <= end - start - stood }
    }
}

extension WorldRelease.Terms {
    var rules: [AudienceRule] {
        var rules: [AudienceRule] = []
        if let platforms { rules.append(AudienceRule(.platform, .isIn(platforms))) }
        if let otherRegions { rules.append(AudienceRule(.region, .notIn(otherRegions))) }
        if let range = lowestApp.flatMap({ VersionRange(">=8.\($0)") }) {
            rules.append(AudienceRule(.appVersion, .range(range)))
        }
        if let range = levels.flatMap({ VersionRange("\($0.lowerBound) - \($0.upperBound)") }) {
            rules.append(AudienceRule(.attribute("level"), .range(range)))
        }
        return rules
    }

    var withoutRules: Self {
        var terms = self
        (terms.platforms, terms.otherRegions, terms.lowestApp, terms.levels) = (nil, nil, nil, nil)
        return terms
    }

    var audience: Audience {
        Audience(
            whitelist: usesWhitelist ? ReleaseWorld.whitelist : nil,
            excluded: usesExcluded ? ReleaseWorld.excluded : nil, rules: rules)
    }

    static func random(by random: inout SeededRandom, version: Int) -> Self {
        var terms = Self()
        if random.chance(20) { terms.platforms = random.chance(50) ? ["iOS"] : ["ios", "android"] }
        if random.chance(20) { terms.otherRegions = random.chance(50) ? ["us"] : ["CN", "SG"] }
        if random.chance(15) { terms.lowestApp = Int.random(in: 0...5, using: &random) }
        if random.chance(15) {
            let low = Int.random(in: 0...20, using: &random)
            terms.levels = low...Int.random(in: low...20, using: &random)
        }
        terms.usesWhitelist = random.chance(30)
        terms.usesExcluded = random.chance(30)
        terms.isMandatory = random.chance(25)
        if random.chance(15) { terms.floor = (Int.random(in: 1...version, using: &random), random.chance(50)) }
        if random.chance(40) {
            var (share, after) = (0, Int64(0))
            for _ in 0..<Int.random(in: 1...4, using: &random) where share < 10_000 {
                share = Int.random(in: share + 1...10_000, using: &random)
                terms.steps.append((share, after))
                after += Int64.random(in: 1...36_000_000, using: &random)
            }
            if !terms.rules.isEmpty, random.chance(60) {
                terms.firstStepWithoutRules = Int.random(in: 1...terms.steps.count, using: &random)
                if terms.firstStepWithoutRules == terms.steps.count { terms.steps.append((share, after)) }
            }
        }
        return terms
    }
}

extension WorldRelease.Needs {
    var requirements: VersionRequirements {
        var dependencies: [VersionRequirements.Dependency] = []
        if let common {
            let text =
                common.upperBound == .max ? ">=\(common.lowerBound)" : "\(common.lowerBound) - \(common.upperBound)"
            if let range = VersionRange(text) { dependencies.append(.init(package: ReleaseWorld.common, range: range)) }
        }
        return VersionRequirements(
            minAppVersion: lowestApp.map { "8.\($0)" }, maxAppVersion: highestApp.map { "8.\($0)" }, apis: apis,
            dependencies: dependencies)
    }

    static func random(by random: inout SeededRandom, of package: PackageID) -> Self {
        var needs = Self()
        guard random.chance(60) else { return needs }
        if random.chance(30) { needs.lowestApp = Int.random(in: 0...5, using: &random) }
        if random.chance(15) { needs.highestApp = Int.random(in: (needs.lowestApp ?? 0)...5, using: &random) }
        if random.chance(25) { needs.apis = random.chance(50) ? ["scan"] : ["pay", "scan"] }
        if package != ReleaseWorld.common, random.chance(50) {
            let low = Int.random(in: 1...ReleaseWorld.versionCount, using: &random)
            needs.common = low...(random.chance(70) ? .max : low + 3)
        }
        return needs
    }
}
