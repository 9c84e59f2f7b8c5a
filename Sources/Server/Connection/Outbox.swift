import HTTP

/// What is to be sent and has not been taken by the kernel yet, in order.
struct Outbox {
    enum Item {
        /// The bytes from an index on.
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

    /// Puts bytes before everything else.
    mutating func prepend(_ bytes: [UInt8]) {
        items.insert(.bytes(bytes, from: 0), at: 0)
    }

    /// Takes the first item out, or puts what is left of it in its place.
    mutating func replaceFirst(with rest: Item?) {
        if let rest { items[0] = rest } else { items.removeFirst() }
    }
}
