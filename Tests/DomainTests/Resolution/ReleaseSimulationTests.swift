import Domain
import FoundationEssentials
import Testing
import WorldKit

/// Tests many devices over 200 random operations with a moving clock.
///
/// A device goes back, to a release of lower rank, only if its release
/// - was rolled back;
/// - was halted, and the device does not report that it has the version;
/// - is one of a set that the device no longer gets completely.
///
/// A device never goes back because another package moved out of the range that its release needs: the operations that
/// would move it there are rejected, as the server rejects them.
///
/// The facts of a device do not change here, except for its versions, which are those that it was given.
struct ReleaseSimulationTests {
    /// The number of devices out of 100,000 that are checked around each operation, set by `LARDER_TEST_DEVICES`.
    private static let sample =
        ProcessInfo.processInfo.environment["LARDER_TEST_DEVICES"].flatMap { Int($0) } ?? 40
    private static let operationCount = 200

    @Test func `no device gets what its facts exclude, nor a mix of a set, nor goes back without a reason`() throws {
        var world = ReleaseWorld(SeededRandom.fresh(for: "simulation"))
        let seed = world.random.seed
        var counts: [String: Int] = [:]
        var mixable = 0
        for step in 0..<Self.operationCount {
            var devices = (0..<Self.sample).map { _ in
                WorldDevice(Int.random(in: 0..<WorldDevice.population, using: &world.random), of: seed)
            }
            let before = decide(&devices, in: world, "seed \(seed), step \(step), before")
            let done = try world.operateWithoutLoss()
            let what = "seed \(seed), step \(step), \(done)"
            counts[done.kind, default: 0] += 1
            let after = decide(&devices, in: world, what)
            mixable += expectNoMix(after, in: world, what)
            compare(before, after, of: devices, in: world, what)
            world.letTimePass()
            let later = decide(&devices, in: world, "\(what), then time passed")
            mixable += expectNoMix(later, in: world, "\(what), then time passed")
            compare(after, later, of: devices, in: world, "\(what), then time passed")
        }
        // Every kind of operation was tried.
        #expect(Set(counts.keys) == WorldOperation.kinds, "\(counts)")
        #expect(mixable > 100, "sets were given")
        #expect(world.refusals > 20 && world.refusals < 5 * Self.operationCount, "\(world.refusals) were refused")
    }

    /// The release of a package for a device, and the versions that the device reported.
    private struct Got {
        let release: ReleaseID?
        let have: [Int]
    }

    /// Resolves every device, compares the result with the naive reading, and installs it.
    private func decide(
        _ devices: inout [WorldDevice], in world: ReleaseWorld, _ what: String
    ) -> [[PackageID: Got]] {
        let snapshot = world.snapshot(at: world.now)
        let naive = NaiveReading(world, at: world.now)
        return devices.indices.map { index in
            let device = devices[index]
            var resolution = Resolution(snapshot, facts: device.facts, at: world.now)
            var got: [PackageID: Got] = [:]
            for package in ReleaseWorld.packages {
                let current = resolution.decision(for: package).current
                let expected = naive.current(of: package, for: device)
                #expect(current?.release.id == expected?.release.id, "\(what): \(package) of \(device)")
                if let current, let expected {
                    #expect(
                        current.mandatoryAfter == naive.mandatoryAfter(expected, for: device),
                        "\(what): \(package) of \(device)")
                    #expect(
                        current.isMandatory == naive.isMandatory(expected, for: device),
                        "\(what): \(package) of \(device)")
                }
                got[package] = Got(release: current?.release.id, have: device.have[package] ?? [])
                if device.reportsVersions, let version = world.find(current?.release.id)?.version {
                    devices[index].install(version, of: package)
                }
            }
            return got
        }
    }

    /// Checks that devices get a set's release only with the others, or with releases of higher rank; returns the
    /// number of such devices.
    private func expectNoMix(_ got: [[PackageID: Got]], in world: ReleaseWorld, _ what: String) -> Int {
        var count = 0
        for packages in got {
            for offer in packages.values.compactMap({ world.find($0.release)?.release }) {
                guard let set = offer.set else { continue }
                count += 1
                for member in world.releases.map(\.release) where member.set?.id == set.id {
                    let other = world.find(packages[member.package]?.release)?.release
                    #expect(
                        other.map { $0.rank >= member.rank } ?? false,
                        "\(what): \(offer.id) without \(member.id) of set \(set.id)")
                }
            }
        }
        return count
    }

    private func compare(
        _ before: [[PackageID: Got]], _ after: [[PackageID: Got]], of devices: [WorldDevice], in world: ReleaseWorld,
        _ what: String
    ) {
        let naive = NaiveReading(world, at: world.now)
        for (index, device) in devices.enumerated() {
            for package in ReleaseWorld.packages {
                guard let had = world.find(before[index][package]?.release) else { continue }
                let has = world.find(after[index][package]?.release)
                if let has, has.release.rank >= had.release.rank { continue }
                let said = after[index][package]?.have ?? []
                let isFreeToGo =
                    had.hasEnded || (had.isHalted && !(device.reportsVersions && said.contains(had.version)))
                    || naive.isStruck(had, for: device)
                #expect(isFreeToGo, "\(what): \(package) of \(device) went back from \(had.release.id)")
            }
        }
    }
}
