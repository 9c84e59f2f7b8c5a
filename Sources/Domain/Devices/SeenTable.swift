/// The devices that were noted, in 24 bytes each at most: whether one is to be noted again is one look.
package struct SeenTable: Sendable {
    /// A device that was noted.
    package struct Entry: Sendable, Equatable {
        /// See ``SeenPlace/mark(of:)``.
        package let mark: UInt64
        /// Of what it has; of no meaning where it did not say.
        package private(set) var holdings: UInt32
        package private(set) var day: UInt16
        /// How often that day.
        package private(set) var notes: UInt8
        private(set) fileprivate var isTaken = true

        package init(mark: UInt64, holdings: UInt32?, day: UInt16) {
            self.mark = mark
            self.holdings = holdings ?? 0
            self.day = day
            notes = 1
        }

        fileprivate static let free = Entry()

        private init() {
            mark = 0
            holdings = 0
            day = 0
            notes = 0
            isTaken = false
        }

        /// The entry when the device is noted again; `nil` where it is not to be: once a day, and once more whenever it has
        /// something else.
        ///
        /// Under a clock set back it was noted already. One that was noted under a clock far ahead is noted anew.
        package func noted(holdings other: UInt32?, on today: UInt16) -> Entry? {
            let isStale = Int(day) > Int(today) + SeenWindow.daysAhead
            if today > day || isStale { return Entry(mark: mark, holdings: other, day: today) }
            guard let other, other != holdings, notes < SeenTable.notesPerDay else { return nil }
            var entry = self
            entry.holdings = other
            entry.notes += 1
            return entry
        }

        /// The entry of a device that could not be noted after all.
        package var unnoted: Entry {
            var entry = self
            entry.day = 0
            entry.notes = 0
            return entry
        }
    }

    /// Notes of a device in a day, at most.
    package static let notesPerDay: UInt8 = 8
    /// Bytes of a device, at most, where there are more than a few.
    package static let bytesPerDevice = 24

    private static let smallest = 16
    private var entries: [Entry] = []
    package private(set) var count = 0

    package init() {}

    /// Bytes that are held.
    package var byteCount: Int { entries.count * MemoryLayout<Entry>.stride }

    package subscript(_ mark: UInt64) -> Entry? {
        guard !entries.isEmpty else { return nil }
        let entry = entries[place(of: mark)]
        return entry.isTaken ? entry : nil
    }

    /// Puts an entry in, or in the place of the one of its mark.
    package mutating func put(_ entry: Entry) {
        // At most three quarters are taken, and an eighth is added, so at least two thirds are.
        if (count + 1) * 4 > entries.count * 3 { resize(to: max(Self.smallest, entries.count + entries.count / 8)) }
        let place = place(of: entry.mark)
        if !entries[place].isTaken { count += 1 }
        entries[place] = entry
    }

    /// Takes out all but those that `isKept` lets stay; how many went.
    package mutating func keep(where isKept: (Entry) -> Bool) -> Int {
        let kept = entries.filter { $0.isTaken && isKept($0) }
        let gone = count - kept.count
        guard gone > 0 else { return 0 }
        self = SeenTable()
        entries = Array(repeating: .free, count: max(Self.smallest, (kept.count * 3 + 1) / 2))
        for entry in kept { put(entry) }
        return gone
    }

    private mutating func resize(to capacity: Int) {
        let old = entries
        entries = Array(repeating: .free, count: capacity)
        for entry in old where entry.isTaken { entries[place(of: entry.mark)] = entry }
    }

    /// Where the entry of a mark is, or would be.
    private func place(of mark: UInt64) -> Int {
        var place = Int(truncatingIfNeeded: mark.multipliedFullWidth(by: UInt64(entries.count)).high)
        while entries[place].isTaken, entries[place].mark != mark {
            place = place + 1 == entries.count ? 0 : place + 1
        }
        return place
    }
}
