/// A timer wheel with at most one deadline for each connection slot.
///
/// Setting, moving and clearing a deadline take constant time. Moving one to a later instant, as every request does,
/// only stores it; the entry is checked when its old tick comes. A deadline is never early and at most one tick late.
struct TimerWheel {
    /// The logarithm of a tick in nanoseconds: 2^24, 16.8 milliseconds.
    private static let tickShift: Int64 = 24
    private static let listCount = 4_096

    private struct Entry {
        var deadline: Int64 = .max
        var list: Int32 = -1
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var entries: [Entry] = []
    /// The first slot of each list.
    private var firsts = [Int32](repeating: -1, count: listCount)
    private var count = 0
    /// The last processed tick.
    private var current: Int64
    /// A lower bound for the tick of all entries.
    private var earliest: Int64 = .max

    init(now: Instant) {
        current = now.nanoseconds >> Self.tickShift
    }

    /// The instant of the next check; `nil` without entries.
    var nextWake: Instant? {
        count == 0 ? nil : Instant(nanoseconds: earliest << Self.tickShift)
    }

    mutating func grow(to slots: Int) {
        while entries.count < slots { entries.append(Entry()) }
    }

    @inline(__always)
    mutating func set(_ slot: Int, _ deadline: Instant) {
        let isLater = entries[slot].list >= 0 && deadline.nanoseconds >= entries[slot].deadline
        entries[slot].deadline = deadline.nanoseconds
        if !isLater { move(slot) }
    }

    mutating func clear(_ slot: Int) {
        unlink(slot)
        entries[slot].deadline = .max
    }

    /// Appends the slots whose deadline has passed, and clears their deadlines.
    mutating func advance(to now: Instant, expired: inout [Int]) {
        let tick = now.nanoseconds >> Self.tickShift
        guard count > 0, tick >= earliest else {
            current = max(current, tick)
            return
        }
        let first = max(earliest, current - Int64(Self.listCount) + 1)
        let last = min(tick, first + Int64(Self.listCount) - 1)
        current = tick
        for passing in first...last {
            examine(list: Int(passing & Int64(Self.listCount - 1)), now: now, expired: &expired)
        }
        findEarliest(after: tick)
    }

    private mutating func examine(list: Int, now: Instant, expired: inout [Int]) {
        var slot = Int(firsts[list])
        while slot >= 0 {
            let next = Int(entries[slot].next)
            if entries[slot].deadline <= now.nanoseconds {
                clear(slot)
                expired.append(slot)
            } else {
                move(slot)
            }
            slot = next
        }
    }

    private mutating func findEarliest(after tick: Int64) {
        earliest = .max
        guard count > 0 else { return }
        for candidate in tick + 1...tick + Int64(Self.listCount)
        where firsts[Int(candidate & Int64(Self.listCount - 1))] >= 0 {
            earliest = candidate
            return
        }
    }

    /// Links an entry at its next check: at its deadline, or as far ahead as the wheel reaches.
    private mutating func move(_ slot: Int) {
        unlink(slot)
        let due = (entries[slot].deadline >> Self.tickShift) + 1
        let tick = min(max(due, current + 1), current + Int64(Self.listCount) - 1)
        let list = Int(tick & Int64(Self.listCount - 1))
        let first = firsts[list]
        entries[slot].list = Int32(list)
        entries[slot].previous = -1
        entries[slot].next = first
        if first >= 0 { entries[Int(first)].previous = Int32(slot) }
        firsts[list] = Int32(slot)
        count += 1
        earliest = min(earliest, tick)
    }

    private mutating func unlink(_ slot: Int) {
        let entry = entries[slot]
        guard entry.list >= 0 else { return }
        if entry.previous >= 0 {
            entries[Int(entry.previous)].next = entry.next
        } else {
            firsts[Int(entry.list)] = entry.next
        }
        if entry.next >= 0 { entries[Int(entry.next)].previous = entry.previous }
        entries[slot].list = -1
        count -= 1
    }
}
