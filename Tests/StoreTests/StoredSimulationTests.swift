import Domain
import Ground
import Store
import Testing
import WorldKit

/// Tests many devices over random operations whose releases are in a store.
///
/// `ReleaseSimulationTests` compares the decisions in memory with the rules; here they are compared with decisions from
/// releases that were written and loaded.
@Suite(.databases)
struct StoredSimulationTests {
    /// The number of operations; more follow until each kind was tried.
    private static let operationCount = 75
    /// The number of devices that are checked after each operation, and again after time has passed.
    private static let sample = 15
    /// The number of past instants that are checked.
    private static let pastCount = 12

    @Test(arguments: DatabaseKind.allCases)
    func `devices get what the operators' releases in memory give, also as of a past instant`(
        on database: DatabaseKind
    ) async throws {
        var stored = try await StoredWorld(in: database.empty())
        var world = ReleaseWorld(SeededRandom.fresh(for: "stored simulation on \(database)"))
        let seed = world.random.seed
        var kinds: Set<String> = []
        var past: [Timestamp: ReleaseWorld] = [:]
        var given = 0
        for step in 0..<5 * Self.operationCount where step < Self.operationCount || kinds != WorldOperation.kinds {
            let operation = try world.operateWithoutLoss()
            kinds.insert(operation.kind)
            try await stored.carryOut(operation, in: world)
            for what in ["\(operation)", "\(operation), then time passed"] {
                let loaded = try await stored.load(at: world.now)
                let comment: Comment = "seed \(seed), step \(step), \(what)"
                #expect(loaded.releases == world.releases.map(\.release), comment)
                given += expectSame(loaded.snapshot, devices(of: &world), in: world, comment)
                past[world.now] = world
                world.letTimePass()
                try await stored.store.recordActivations(of: .default, upTo: world.now)
            }
        }
        #expect(kinds == WorldOperation.kinds)
        #expect(given > 500, "devices were given \(given) releases")
        let instants = past.keys.sorted().shuffled(using: &world.random).prefix(Self.pastCount)
        for (instant, var world) in instants.compactMap({ instant in past[instant].map { (instant, $0) } }) {
            let loaded = try await stored.load(asOf: instant)
            _ = expectSame(loaded.snapshot, devices(of: &world), in: world, "seed \(seed), as of \(instant)")
        }
    }

    /// The parts of a decision that a device sees.
    private struct Got: Equatable {
        let current: ReleaseID?
        let next: ReleaseID?
        let mandatoryAfter: Rank?
        let isMandatory: Bool?

        init(_ decision: PackageDecision) {
            current = decision.current?.releaseID
            next = decision.next?.releaseID
            mandatoryAfter = decision.current?.mandatoryAfter
            isMandatory = decision.current?.isMandatory
        }
    }

    private func devices(of world: inout ReleaseWorld) -> [WorldDevice] {
        let seed = world.random.seed
        return (0..<Self.sample).map { _ in
            WorldDevice(Int.random(in: 0..<WorldDevice.population, using: &world.random), of: seed)
        }
    }

    /// Checks that devices get the same releases from a snapshot as from the world, by its own snapshot and by the rules;
    /// returns the number of releases that they get.
    private func expectSame(
        _ snapshot: ReleaseSnapshot, _ devices: [WorldDevice], in world: ReleaseWorld, _ comment: Comment
    ) -> Int {
        let own = world.snapshot(at: world.now)
        let naive = NaiveReading(world, at: world.now)
        var given = 0
        for device in devices {
            var (loaded, expected) = (
                Resolution(snapshot, facts: device.facts, at: world.now),
                Resolution(own, facts: device.facts, at: world.now)
            )
            for package in ReleaseWorld.packages {
                let got = Got(loaded.decision(for: package))
                #expect(got == Got(expected.decision(for: package)), comment)
                #expect(got.current == naive.current(of: package, for: device)?.release.id, comment)
                if got.current != nil { given += 1 }
            }
        }
        return given
    }
}
