import Domain
import TestKit
import Testing

/// Downloads ahead of a moment, spread over time.
struct DownloadWindowTests {
    private static let opening = Timestamp(milliseconds: 1_800_000_000_000)

    private func salt(_ byte: UInt8 = 7) throws -> Salt { try #require(Salt(bytes: (0..<16).map { $0 &* 31 &+ byte })) }

    private func window(devices: Int64 = 1_000_000, size: Int = 5_000_000, rate: Int64 = 1 << 30) -> DownloadWindow {
        DownloadWindow(opensAt: Self.opening, bytesPerSecond: rate, devices: devices, archiveSize: size)
    }

    private func at(_ milliseconds: Int64) -> Timestamp { Self.opening.adding(milliseconds: milliseconds) }

    @Test func `every device has one slot in each round, from the opening on`() throws {
        let window = window()
        for place in stride(from: 0, to: Bucket.count, by: 7) {
            let first = window.slot(of: place, salt: try salt(), at: at(-1_000_000))
            #expect(first >= Self.opening && first < at(window.round))
            let missed = first.adding(milliseconds: DownloadWindow.slack + 1)
            #expect(window.slot(of: place, salt: try salt(), at: missed) == first.adding(milliseconds: window.round))
        }
    }

    @Test func `who is on the way at the slot may begin, and a millisecond later has missed it`() throws {
        let window = window()
        let first = window.slot(of: 77, salt: try salt(), at: Self.opening)
        let last = first.adding(milliseconds: DownloadWindow.slack)
        #expect(window.slot(of: 77, salt: try salt(), at: last) == first)
        let next = first.adding(milliseconds: window.round)
        #expect(window.slot(of: 77, salt: try salt(), at: last.adding(milliseconds: 1)) == next)
        let much = last.adding(milliseconds: 5 * window.round)
        #expect(window.slot(of: 77, salt: try salt(), at: much) == first.adding(milliseconds: 5 * window.round))
    }

    @Test(arguments: [10_000, 1_000, 137])
    func `the slots of as many places as are in lie evenly`(count: Int) throws {
        let window = window()
        var parts = [Int](repeating: 0, count: 20)
        for place in 0..<count {
            let offset = window.slot(of: place, salt: try salt(), at: Self.opening).milliseconds
            parts[Int((offset - Self.opening.milliseconds) * 20 / window.round)] += 1
        }
        let fair = Double(count) / 20
        #expect(parts.allSatisfy { abs(Double($0) - fair) <= 2 }, "\(parts)")
    }

    @Test func `another release has others come first`() throws {
        let window = window()
        let one = window.slot(of: 1, salt: try salt(1), at: Self.opening)
        #expect(one != window.slot(of: 1, salt: try salt(2), at: Self.opening))
    }

    @Test func `a round is as long as the budget asks for, and a little longer`() {
        // 1,000,000 times 5 MB at 1 GiB a second: 4,657 s.
        let round = window().round
        #expect(round > 4_657_000 && round < 4_657_000 * 105 / 100, "\(round)")
        #expect(window(devices: 2_000_000).round > 2 * round - 10)
        #expect(window(rate: 1).round < .max)
    }

    @Test func `a window fits where every device has a slot before the moment`() {
        let window = window()
        #expect((try? window.requireFit(before: at(window.round))) != nil)
        #expect((try? window.requireFit(before: at(window.round - 1))) == nil)
        #expect(window.end(after: at(3 * window.round)) == at(6 * window.round))
    }

    // MARK: A fleet

    /// How a simulated device behaves.
    private enum Habit {
        /// Awake all the time: downloads at its slot.
        case waiting
        /// Comes at its hours of the day, and sleeps through its slot more often than not.
        case visiting
        /// Downloads when it first comes.
        case ignoring
    }

    /// Bytes of those who follow, by minute; of the others; and how many of the waiting were done before the moment.
    private struct Outcome {
        var followed: [Int]
        var ignored = 0
        var late = 0
        var waiting = 0
        var waitingInTime = 0
    }

    private func simulate(
        _ window: DownloadWindow, size: Int, until moment: Timestamp, percent: Int, seed: UInt64
    ) throws -> Outcome {
        var random = SeededRandom(seed: seed)
        let salt = try salt(UInt8(truncatingIfNeeded: seed))
        let minutes = Int((window.end(after: moment).milliseconds - Self.opening.milliseconds) / 60_000) + 1
        var outcome = Outcome(followed: [Int](repeating: 0, count: minutes + Int(window.round / 60_000) + 2))
        let day = Int(window.end(after: moment).milliseconds - Self.opening.milliseconds)
        for _ in 0..<Int(window.devices) {
            let place = Int.random(in: 0..<(Bucket.count * percent / 100), using: &random)
            // Every third has a patch of a tenth.
            let bytes = Int.random(in: 0..<3, using: &random) == 0 ? size / 10 : size
            let draw = Int.random(in: 0..<100, using: &random)
            let habit: Habit = draw < 5 ? .ignoring : draw < 35 ? .visiting : .waiting
            // Most come in the evening: the later of two draws.
            var now = at(
                Int64(max(Int.random(in: 0..<day, using: &random), Int.random(in: 0..<day, using: &random))))
            switch habit {
            case .ignoring: outcome.ignored += bytes
            case .waiting:
                let slot = window.slot(of: place, salt: salt, at: Self.opening)
                outcome.followed[Int((slot.milliseconds - Self.opening.milliseconds) / 60_000)] += bytes
                outcome.waiting += 1
                if slot < moment { outcome.waitingInTime += 1 }
            case .visiting:
                outcome.late += 1
                while now < window.end(after: moment) {
                    let slot = window.slot(of: place, salt: salt, at: now)
                    // Awake at it in one of three.
                    if Int.random(in: 0..<3, using: &random) == 0 {
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

    @Test(arguments: [(percent: 100, seed: 1), (percent: 10, seed: 2)] as [(percent: Int, seed: UInt64)])
    func `a million devices that follow stay within the budget, and those that wait are done before the moment`(
        percent: Int, seed: UInt64
    ) throws {
        let size = 5_000_000
        let window = window(size: size, rate: 250_000_000)
        // Three rounds, some 17 hours.
        let moment = at(3 * window.round)
        let outcome = try simulate(window, size: size, until: moment, percent: percent, seed: seed)
        let budget = Double(window.bytesPerSecond * 60)
        let peak = try #require(outcome.followed.max())
        #expect(Double(peak) <= budget * 1.05, "seed \(seed): \(Double(peak) / budget) of the budget")
        // It is used, too.
        #expect(Double(peak) >= budget * 0.3)
        #expect(outcome.waiting == outcome.waitingInTime && outcome.waiting > 600_000)
        #expect(outcome.late > 290_000 && outcome.ignored > 0)
    }

    @Test func `with full archives alone a minute comes close to the budget, and not over it`() throws {
        let size = 5_000_000
        let window = window(size: size, rate: 1_000_000_000)
        var minutes = [Int](repeating: 0, count: Int(window.round / 60_000) + 1)
        var random = SeededRandom(seed: 3)
        for _ in 0..<1_000_000 {
            let place = Int.random(in: 0..<Bucket.count, using: &random)
            let slot = window.slot(of: place, salt: try salt(), at: Self.opening)
            minutes[Int((slot.milliseconds - Self.opening.milliseconds) / 60_000)] += size
        }
        let budget = Double(window.bytesPerSecond * 60)
        let peak = Double(try #require(minutes.max())) / budget
        #expect(peak <= 1.05 && peak > 0.95, "\(peak)")
    }
}
