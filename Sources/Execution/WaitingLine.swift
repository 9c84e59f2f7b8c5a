/// A queue that is appended to, and removed from at either end, in constant time.
struct WaitingLine<Element> {
    private var items: [Element] = []
    /// The items before it were removed.
    private var start = 0

    var elements: ArraySlice<Element> { items[start...] }
    var count: Int { items.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { items.append(element) }

    mutating func popFirst() -> Element? {
        guard start < items.count else { return nil }
        let first = items[start]
        start += 1
        if start * 2 > items.count {
            items.removeFirst(start)
            start = 0
        }
        return first
    }

    mutating func popLast() -> Element? { isEmpty ? nil : items.popLast() }

    mutating func remove(where isRemoved: (Element) -> Bool) {
        items = elements.filter { !isRemoved($0) }
        start = 0
    }
}
