import HTTP

/// The responses and pieces for parked requests, which a loop sends in slices.
///
/// Between two slices the loop serves its other connections: an event for thousands of clients would otherwise hold them
/// up for as long as all of the sending takes. Deliveries keep their order.
struct DeliveryQueue {
    enum Item {
        case response(PreparedResponse)
        case piece(FeedPiece)
        /// The end of an open response.
        case end
    }

    /// The number of requests that are served in one iteration of the loop, which takes about a millisecond.
    ///
    /// The call that causes an event still needs several iterations of the loop, so a longer slice delays its response.
    static let slice = 100

    private var entries: [(item: Item, numbers: ArraySlice<UInt64>)] = []
    /// The index of the first entry that is not done.
    private var first = 0

    var isEmpty: Bool { first == entries.count }

    mutating func append(_ item: Item, to numbers: [UInt64]) {
        if !numbers.isEmpty { entries.append((item, numbers[...])) }
    }

    /// Removes and returns up to `count` requests of the first entry, with the item that they get.
    mutating func take(upTo count: Int) -> (item: Item, numbers: ArraySlice<UInt64>)? {
        guard !isEmpty else { return nil }
        let taken = entries[first].numbers.prefix(count)
        let item = entries[first].item
        entries[first].numbers.removeFirst(taken.count)
        if entries[first].numbers.isEmpty { first += 1 }
        // Entries that are done are removed together, so that each one costs constant time.
        if isEmpty || first >= Self.slice {
            entries.removeFirst(first)
            first = 0
        }
        return (item, taken)
    }
}
