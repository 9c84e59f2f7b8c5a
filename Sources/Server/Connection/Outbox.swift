import HTTP

/// The queue of output that the kernel has not taken.
struct Outbox {
    enum Item {
        /// Bytes from an index on.
        case bytes([UInt8], from: Int)
        case file(FileRegion)
    }

    private var items: [Item] = []

    var isEmpty: Bool { items.isEmpty }
    var first: Item? { items.first }

    var byteCount: Int {
        items.reduce(0) { sum, item in
            switch item {
            case .bytes(let bytes, let start): sum + bytes.count - start
            case .file(let region): sum + region.count
            }
        }
    }

    mutating func append(_ item: Item) {
        items.append(item)
    }

    /// Inserts bytes at the front.
    mutating func prepend(_ bytes: [UInt8]) {
        items.insert(.bytes(bytes, from: 0), at: 0)
    }

    /// Replaces the first item by its rest, or removes it.
    mutating func replaceFirst(with rest: Item?) {
        if let rest { items[0] = rest } else { items.removeFirst() }
    }
}
