package import Ground

/// The rank of a release among those of its package and channel: the highest active one wins (semantics.md §2).
package struct Rank: Hashable, Sendable, Comparable {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }

    package static func < (left: Rank, right: Rank) -> Bool { left.value < right.value }

    /// Returns `max(createdAt, activeTime)` in milliseconds × 1,000, or the next free rank in steps of 1,000.
    package static func assigned(createdAt: Timestamp, activeTime: Timestamp, taken: Set<Rank>) -> Rank {
        Rank(max(createdAt, activeTime).milliseconds * 1000).free(of: taken)
    }

    /// Returns this rank, or the first free one above it in steps of 1,000.
    package func free(of taken: Set<Rank>) -> Rank {
        var rank = self
        while taken.contains(rank) { rank = Rank(rank.value + 1000) }
        return rank
    }

    /// Returns the lowest free rank above this one, for a release that replaces one of this rank.
    package func lowestFreeAbove(_ taken: Set<Rank>) -> Rank {
        var rank = Rank(value + 1)
        while taken.contains(rank) { rank = Rank(rank.value + 1) }
        return rank
    }
}
