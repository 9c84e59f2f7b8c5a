import Domain
import Ground
import TestKit
import Testing
import WorldKit

/// Tests downloads before an activation, spread over time.
struct DownloadWindowTests {
    private static let opening = Timestamp(milliseconds: 1_800_000_000_000)

    private func salt(_ byte: UInt8 = 7) throws -> Salt { try #require(Salt(bytes: (0..<16).map { $0 &* 31 &+ byte })) }

    private func window(devices: Int64 = 1_000_000, size: Int = 5_000_000, rate: Int64 = 1 << 30) -> DownloadWindow {
        DownloadWindow(opensAt: Self.opening, bytesPerSecond: rate, devices: devices, archiveSize: size)
    }

    private func device(_ position: Int, of count: Int = Bucket.count, share: UInt64 = 0) -> DownloadPosition {
        DownloadPosition(index: position, count: count, share: share)
    }

    private func at(_ milliseconds: Int64) -> Timestamp { Self.opening.adding(milliseconds: milliseconds) }

    @Test func `every device has one slot in each round, from the opening on`() throws {
        let window = window()
        for position in stride(from: 0, to: Bucket.count, by: 7) {
            let device = device(position, share: UInt64(position) << 50)
            let first = window.slot(of: device, salt: try salt(), at: at(-1_000_000))
            #expect(first >= Self.opening && first < at(window.round))
            let missed = first.adding(milliseconds: DownloadWindow.slack + 1)
            #expect(window.slot(of: device, salt: try salt(), at: missed) == first.adding(milliseconds: window.round))
        }
    }

    @Test func `a device may begin within the slack after its slot, and a millisecond later has missed it`() throws {
        let window = window()
        let first = window.slot(of: device(77), salt: try salt(), at: Self.opening)
        let last = first.adding(milliseconds: DownloadWindow.slack)
        #expect(window.slot(of: device(77), salt: try salt(), at: last) == first)
        let next = first.adding(milliseconds: window.round)
        #expect(window.slot(of: device(77), salt: try salt(), at: last.adding(milliseconds: 1)) == next)
        let much = last.adding(milliseconds: 5 * window.round)
        #expect(window.slot(of: device(77), salt: try salt(), at: much) == first.adding(milliseconds: 5 * window.round))
    }

    @Test(arguments: [10_000, 1_000, 137])
    func `the slots of the devices in a rollout are evenly spread at every share`(count: Int) throws {
        let window = window()
        let slots = try (0..<count).map { position in
            window.slot(of: device(position, of: count), salt: try salt(), at: Self.opening).milliseconds
        }
        let gaps = zip(slots.sorted().dropFirst(), slots.sorted()).map { $0 - $1 }
        #expect(gaps.allSatisfy { abs($0 - window.round / Int64(count)) <= 1 })
    }

    @Test func `a device has another slot in another release`() throws {
        let window = window()
        let one = window.slot(of: device(1), salt: try salt(1), at: Self.opening)
        #expect(one != window.slot(of: device(1), salt: try salt(2), at: Self.opening))
    }

    @Test func `a round is slightly longer than the budget requires`() {
        // 1,000,000 times 5 MB at 1 GiB a second: 4,657 s.
        let round = window().round
        #expect(round > 4_657_000 && round < 4_657_000 * 105 / 100, "\(round)")
        #expect(window(devices: 2_000_000).round > 2 * round - 10)
        #expect(window(rate: 1).round < .max)
    }

    @Test func `a window fits if every device has a slot before the activation time`() {
        let window = window()
        #expect((try? window.requireFit(before: at(window.round))) != nil)
        #expect((try? window.requireFit(before: at(window.round - 1))) == nil)
        #expect(window.end(after: at(3 * window.round)) == at(6 * window.round))
    }

    @Test func `devices of one bucket come one after the other, until the next bucket`() throws {
        let window = window()
        let slots = try [0, .max / 2, .max].map { share in
            window.slot(of: device(5, of: 100, share: share), salt: try salt(), at: Self.opening).milliseconds
        }
        #expect(slots[0] < slots[1] && slots[1] < slots[2] && slots[2] - slots[0] <= window.round / 100)
    }

    // MARK: A fleet

    /// The behaviour of a simulated device.
    private enum Habit {
        /// Is always awake and downloads at its slot.
        case waiting
        /// Is awake at certain hours of the day and usually misses its slot.
        case visiting
        /// Downloads at its first request.
        case ignoring
    }

    private struct Fleet {
        var ignoring = 0
        var visiting = 0
        var patched = 0
    }

    /// The bytes of devices that use their slot by minute, those of the others, and the numbers of visiting and waiting
    /// devices.
    private struct Outcome {
        var followed: [Int]
        var ignored = 0
        var late = 0
        var waiting = 0
        var waitingInTime = 0
    }

    /// - Parameter fleet: The percentages of each habit.
    private func simulate(
        _ window: DownloadWindow, _ fleet: Fleet, until moment: Timestamp, count: Int, seed: UInt64
    ) throws -> Outcome {
        var random = SeededRandom(seed: seed)
        let salt = try salt(UInt8(truncatingIfNeeded: seed))
        let end = window.end(after: moment)
        let day = Int(end.milliseconds - Self.opening.milliseconds)
        var outcome = Outcome(followed: [Int](repeating: 0, count: (day + Int(window.round)) / 60_000 + 2))
        for _ in 0..<Int(window.devices) {
            let device = device(Int.random(in: 0..<count, using: &random), of: count, share: random.next())
            let bytes = random.chance(fleet.patched) ? Self.size / 10 : Self.size
            let draw = Int.random(in: 0..<100, using: &random)
            let habit: Habit =
                draw < fleet.ignoring ? .ignoring : draw < fleet.ignoring + fleet.visiting ? .visiting : .waiting
            switch habit {
            case .ignoring: outcome.ignored += bytes
            case .waiting:
                let slot = window.slot(of: device, salt: salt, at: Self.opening)
                outcome.followed[Int((slot.milliseconds - Self.opening.milliseconds) / 60_000)] += bytes
                outcome.waiting += 1
                if slot < moment { outcome.waitingInTime += 1 }
            case .visiting:
                outcome.late += 1
                // Most devices are awake in the evening: the later of two draws.
                var now = at(
                    Int64(max(Int.random(in: 0..<day, using: &random), Int.random(in: 0..<day, using: &random))))
                while now < end {
                    let slot = window.slot(of: device, salt: salt, at: now)
                    // One in three is awake at its slot.
                    if random.chance(33) {
                        let begun = max(slot, now)
                        outcome.followed[Int((begun.milliseconds - Self.opening.milliseconds) / 60_000)] += bytes
                        break
                    }
                    let sleep = Int64(Int.random(in: 0..<day / 4, using: &random)) + DownloadWindow.slack + 1
                    now = slot.adding(milliseconds: sleep)
                }
            }
        }
        return outcome
    }

    private static let size = 5_000_000

    /// Bytes per second, and the number of positions in the audience.
    @Test(arguments: [(250_000_000, 10_000), (250_000_000, 1_000)])
    func `a million devices stay within the budget, and those that wait end before the activation time`(
        rate: Int, count: Int
    ) throws {
        let window = window(size: Self.size, rate: Int64(rate))
        // Three rounds, about 17 hours.
        let moment = at(3 * window.round)
        let fleet = Fleet(ignoring: 5, visiting: 30, patched: 33)
        let outcome = try simulate(window, fleet, until: moment, count: count, seed: UInt64(count))
        let peak = Double(try #require(outcome.followed.max())) / Double(window.bytesPerSecond * 60)
        #expect(peak <= 1.05 && peak >= 0.3, "\(peak) of the budget")
        #expect(outcome.waiting == outcome.waitingInTime && outcome.waiting > 600_000)
        #expect(outcome.late > 290_000 && outcome.ignored > 0)
    }

    /// Downloads full archives in one round of one and a half to 24 hours, for all buckets and for one in a hundred.
    @Test(arguments: [(1_000_000_000, 10_000), (60_000_000, 10_000), (60_000_000, 1_000), (1_000_000_000, 100)])
    func `if all devices download the full archive in one round, each minute stays below the budget`(
        rate: Int, count: Int
    ) throws {
        let window = window(size: Self.size, rate: Int64(rate))
        let outcome = try simulate(window, Fleet(), until: at(window.round), count: count, seed: UInt64(count))
        let peak = Double(try #require(outcome.followed.max())) / Double(window.bytesPerSecond * 60)
        #expect(peak <= 1.05 && peak > 0.9, "\(peak) of the budget")
    }
}
