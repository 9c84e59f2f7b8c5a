/// A shortest edit script between two texts, computed in bounded time and memory.
///
/// Myers' algorithm in linear space, from both ends ("An O(ND) Difference Algorithm and Its Variations", §4b).
struct TextDiff {
    /// A replacement of a range of the old text by a range of the new one; one of them may be empty.
    struct Change: Equatable {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// The limit on compared units and followed paths.
    static let maximumSteps = 32_000_000

    private let old: [UInt16]
    private let new: [UInt16]
    private let maximumDistance: Int
    private(set) var steps = 0
    /// The changes; `nil` if the texts differ too much, or the search takes too long.
    private(set) var changes: [Change]? = []

    /// - Parameter maximumDistance: The limit on removed and inserted units if there are both.
    init(from old: [UInt16], to new: [UInt16], maximumDistance: Int) {
        self.old = old
        self.new = new
        self.maximumDistance = maximumDistance
        if !compare(0..<old.count, 0..<new.count) { changes = nil }
    }

    /// Compares two ranges; each recursive call halves the distance.
    private mutating func compare(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> Bool {
        var (left, right) = (oldRange, newRange)
        while let first = left.first, let other = right.first, old[first] == new[other] {
            left = first + 1..<left.upperBound
            right = other + 1..<right.upperBound
        }
        while let last = left.last, let other = right.last, old[last] == new[other] {
            left = left.lowerBound..<last
            right = right.lowerBound..<other
        }
        steps += oldRange.count - left.count
        guard steps <= Self.maximumSteps else { return false }
        if left.isEmpty || right.isEmpty {
            if !(left.isEmpty && right.isEmpty) { note(Change(old: left, new: right)) }
            return true
        }
        guard abs(left.count - right.count) <= maximumDistance else { return false }
        switch middle(left, right) {
        case .tooFar: return false
        case .nothingInCommon:
            note(Change(old: left, new: right))
            return true
        case .at(let x, let y):
            return compare(left.lowerBound..<x, right.lowerBound..<y)
                && compare(x..<left.upperBound, y..<right.upperBound)
        }
    }

    /// Adds a change; merges it with the last one if they touch.
    private mutating func note(_ change: Change) {
        var changes = changes ?? []
        defer { self.changes = changes }
        if let last = changes.last, last.old.upperBound == change.old.lowerBound,
            last.new.upperBound == change.new.lowerBound
        {
            changes[changes.count - 1] = Change(
                old: last.old.lowerBound..<change.old.upperBound, new: last.new.lowerBound..<change.new.upperBound)
        } else {
            changes.append(change)
        }
    }

    private enum Middle {
        /// A point on a shortest path.
        case at(Int, Int)
        case nothingInCommon
        case tooFar
    }

    /// Follows the furthest paths from both ends until two of them meet.
    private mutating func middle(_ left: Range<Int>, _ right: Range<Int>) -> Middle {
        let furthest = (left.count + right.count + 1) / 2
        let limit = min(furthest, maximumDistance / 2 + 1)
        var forward = Paths(limit: limit, width: left.count, height: right.count)
        var backward = forward
        let delta = left.count - right.count
        let meetsForward = !delta.isMultiple(of: 2)
        for distance in 0..<limit {
            for diagonal in forward.diagonals(at: distance) {
                let (x, y) = forward.step(diagonal, distance) { x, y in
                    old[left.lowerBound + x] == new[right.lowerBound + y]
                }
                steps += 1
                guard meetsForward, let other = backward.reach(delta - diagonal), forward.holds(x, y) else { continue }
                if x >= left.count - other { return .at(left.lowerBound + x, right.lowerBound + y) }
            }
            for diagonal in backward.diagonals(at: distance) {
                let (x, y) = backward.step(diagonal, distance) { x, y in
                    old[left.upperBound - 1 - x] == new[right.upperBound - 1 - y]
                }
                steps += 1
                guard !meetsForward, let other = forward.reach(delta - diagonal), backward.holds(x, y) else { continue }
                if other >= left.count - x {
                    return .at(left.lowerBound + other, right.lowerBound + other - (delta - diagonal))
                }
            }
            guard steps + forward.matched + backward.matched <= Self.maximumSteps else { return .tooFar }
        }
        steps += forward.matched + backward.matched
        return limit == furthest ? .nothingInCommon : .tooFar
    }
}

/// The furthest points of the paths from one end, by diagonal.
private struct Paths {
    private var reached: [Int32]
    private let limit: Int
    private let width: Int
    private let height: Int
    /// The numbers of diagonals past an edge, which are no longer followed.
    private var skippedLow = 0
    private var skippedHigh = 0
    /// The number of units found equal.
    private(set) var matched = 0

    init(limit: Int, width: Int, height: Int) {
        self.limit = limit
        self.width = width
        self.height = height
        reached = Array(repeating: -1, count: 2 * limit + 3)
        reached[limit + 2] = 0
    }

    func diagonals(at distance: Int) -> StrideThrough<Int> {
        stride(from: -distance + skippedLow, through: distance - skippedHigh, by: 2)
    }

    /// Returns the furthest point of a diagonal, as an index in the first text; `nil` if there is none.
    func reach(_ diagonal: Int) -> Int? {
        guard abs(diagonal) <= limit, reached[diagonal + limit + 1] >= 0 else { return nil }
        return Int(reached[diagonal + limit + 1])
    }

    func holds(_ x: Int, _ y: Int) -> Bool { x <= width && y <= height }

    /// Extends the better one of the neighbours' paths by one step, and then along equal units.
    mutating func step(_ diagonal: Int, _ distance: Int, isEqual: (Int, Int) -> Bool) -> (x: Int, y: Int) {
        let index = diagonal + limit + 1
        let isDown = diagonal == -distance || (diagonal != distance && reached[index - 1] < reached[index + 1])
        var x = isDown ? Int(reached[index + 1]) : Int(reached[index - 1]) + 1
        var y = x - diagonal
        while x < width, y < height, x >= 0, y >= 0, isEqual(x, y) {
            x += 1
            y += 1
            matched += 1
        }
        reached[index] = Int32(x)
        if x > width { skippedHigh += 2 } else if y > height { skippedLow += 2 }
        return (x, y)
    }
}
