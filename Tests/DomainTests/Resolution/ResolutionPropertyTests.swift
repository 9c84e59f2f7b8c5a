import Domain
import Ground
import Testing
import WorldKit

/// Tests the properties of every resolution, in worlds of random releases.
struct ResolutionPropertyTests {
    /// Runs `body` for worlds after some operations, with devices to check.
    private func worlds(
        _ name: String, count: Int, _ body: (inout ReleaseWorld, [WorldDevice], Comment) throws -> Void
    ) throws {
        let seed = SeededRandom.fresh(for: name).seed
        for number in 0..<count {
            var world = ReleaseWorld(SeededRandom(seed: seed &+ UInt64(number)))
            for _ in 0..<Int.random(in: 3...25, using: &world.random) {
                _ = try world.operate()
                world.letTimePass()
            }
            let devices = (0..<12).map { _ in
                WorldDevice(Int.random(in: 0..<WorldDevice.population, using: &world.random), of: seed)
            }
            try body(&world, devices, "LARDER_TEST_SEED=\(seed), world \(number)")
        }
    }

    private func decisions(
        _ snapshot: ReleaseSnapshot, _ device: WorldDevice, at instant: Timestamp
    ) -> [PackageID: PackageDecision] {
        var resolution = Resolution(snapshot, facts: device.facts, at: instant)
        return ReleaseWorld.packages.reduce(into: [:]) { $0[$1] = resolution.decision(for: $1) }
    }

    @Test func `widening never removes a version from a device`() throws {
        var widened = 0
        try worlds("widening", count: 30) { world, devices, what in
            for index in world.releases.indices {
                let before = world
                guard try world.apply(.widen, to: index) != nil else { continue }
                widened += 1
                let own = world.releases[index].release.package
                let (old, new) = (before.snapshot(at: world.now), world.snapshot(at: world.now))
                let naive = NaiveReading(world, at: world.now)
                for device in devices {
                    let had = decisions(old, device, at: world.now)[own]?.current?.release
                    let has = decisions(new, device, at: world.now)[own]?.current?.release
                    // A set is lost if it needs a release that was widened away, and uncovers the releases below it.
                    if let had = world.find(had?.id), had.release.set != nil, naive.isStruck(had, for: device) {
                        continue
                    }
                    #expect(has?.id == had?.id || (has?.rank ?? Rank(0) > had?.rank ?? Rank(0)), what)
                }
            }
        }
        #expect(widened > 10)
    }

    @Test func `the order of releases in the store does not matter`() throws {
        try worlds("order", count: 30) { world, devices, what in
            var random = world.random
            let plain = world.snapshot(at: world.now)
            let shuffled = world.snapshot(at: world.now) { $0.shuffled(using: &random) }
            for device in devices {
                #expect(decisions(plain, device, at: world.now) == decisions(shuffled, device, at: world.now), what)
                for package in ReleaseWorld.packages {
                    var one = Resolution(plain, facts: device.facts, at: world.now)
                    var two = Resolution(shuffled, facts: device.facts, at: world.now)
                    #expect(one.trace(of: package) == two.trace(of: package), what)
                }
            }
        }
    }

    @Test func `equal facts give equal decisions, whatever was requested before`() throws {
        try worlds("same facts", count: 30) { world, devices, what in
            let (one, two) = (world.snapshot(at: world.now), world.snapshot(at: world.now))
            for device in devices {
                let expected = decisions(one, device, at: world.now)
                var backwards = Resolution(two, facts: device.facts, at: world.now)
                for package in ReleaseWorld.packages.reversed() {
                    _ = backwards.trace(of: package)
                    #expect(backwards.decision(for: package) == expected[package], what)
                    #expect(backwards.decision(for: package) == expected[package], what)
                }
            }
        }
    }

    @Test func `a device in no audience never sees a version, now or next`() throws {
        try worlds("audiences", count: 30) { world, devices, what in
            let snapshot = world.snapshot(at: world.now)
            for device in devices {
                for decision in decisions(snapshot, device, at: world.now).values {
                    for offer in [decision.current, decision.next].compactMap({ $0 }) {
                        let moment = max(world.now, offer.release.activeTime)
                        let naive = NaiveReading(world, at: moment)
                        let release = try #require(world.find(offer.release.id))
                        #expect(naive.isOffered(release, to: device), what)
                    }
                }
            }
        }
    }

    @Test func `an excluded device never gets a release, even on the whitelist`() throws {
        var excluded = 0
        try worlds("excluded", count: 30) { world, _, what in
            let snapshot = world.snapshot(at: world.now)
            // Each 89th device is excluded, each 97th on the whitelist too.
            for number in [89, 8633, 89 * 7, 0] {
                let device = WorldDevice(number, of: world.random.seed)
                guard device.sendsID else { continue }
                for package in ReleaseWorld.packages {
                    var resolution = Resolution(snapshot, facts: device.facts, at: world.now)
                    for check in resolution.trace(of: package) where check.release.terms.audience.excluded != nil {
                        #expect(check.refusal != nil, what)
                        excluded += 1
                    }
                }
            }
        }
        #expect(excluded > 10)
    }

    @Test func `the next version becomes current exactly at its activation time if no release changes`() throws {
        var seen = 0
        try worlds("next", count: 40) { world, devices, what in
            let snapshot = world.snapshot(at: world.now)
            for device in devices {
                for (package, decision) in decisions(snapshot, device, at: world.now) {
                    guard let next = decision.next?.release else { continue }
                    seen += 1
                    let (moment, before) = (next.activeTime, next.activeTime.adding(milliseconds: -1))
                    // By a snapshot of that instant, and by the current one.
                    for snapshot in [world.snapshot(at: moment), snapshot] {
                        let then = decisions(snapshot, device, at: moment)[package]
                        #expect(then?.current == decision.next, what)
                    }
                    let last = decisions(world.snapshot(at: before), device, at: before)[package]
                    #expect(last?.current?.release.id != next.id && last?.next?.release.id == next.id, what)
                }
            }
        }
        #expect(seen > 20)
    }

    @Test func `a device without a next version gets no scheduled release`() throws {
        try worlds("no next", count: 20) { world, devices, what in
            let snapshot = world.snapshot(at: world.now)
            let moments = Set(world.releases.map(\.release.activeTime).filter { $0 > world.now }).sorted()
            for device in devices {
                for (package, decision) in decisions(snapshot, device, at: world.now) where decision.next == nil {
                    for moment in moments {
                        let then = decisions(world.snapshot(at: moment), device, at: moment)[package]
                        #expect(then?.current?.release.activeTime != moment, what)
                    }
                }
            }
        }
    }
}
