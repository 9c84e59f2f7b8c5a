package import Ground

/// The place of a release among those of its package and channel: the highest that is active wins (semantics.md §2).
package struct Rank: Hashable, Sendable, Comparable {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }

    package static func < (left: Rank, right: Rank) -> Bool { left.value < right.value }

    /// `max(createdAt, activeTime)` in milliseconds × 1,000, the next free one in steps of 1,000.
    package static func assigned(createdAt: Timestamp, activeTime: Timestamp, taken: Set<Rank>) -> Rank {
        Rank(max(createdAt, activeTime).milliseconds * 1000).free(of: taken)
    }

    /// This one, or the first above it in steps of 1,000 that is not taken.
    package func free(of taken: Set<Rank>) -> Rank {
        var rank = self
        while taken.contains(rank) { rank = Rank(rank.value + 1000) }
        return rank
    }

    /// The lowest above this one that is not taken: for a release that takes the place of one of this rank, below all others.
    package func lowestFreeAbove(_ taken: Set<Rank>) -> Rank {
        var rank = Rank(value + 1)
        while taken.contains(rank) { rank = Rank(rank.value + 1) }
        return rank
    }
}
