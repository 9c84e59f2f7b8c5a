/// A hash table of recorded devices, at most 24 bytes each: one lookup tells whether to record a device again.
package struct SeenTable: Sendable {
    /// A recorded device.
    package struct Entry: Sendable, Equatable {
        /// The hash of ``SeenChannel/mark(of:)``.
        package let mark: UInt64
        /// The hash of the device's versions; meaningless if the device did not send them.
        package private(set) var holdings: UInt32
        package private(set) var day: UInt16
        /// The number of times the device was recorded on that day.
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

        /// Returns the updated entry if the device is due to be recorded again, else `nil`.
        ///
        /// A device is due once a day, and again when its versions have changed. A small backward step of the clock
        /// makes no device due; an entry from a clock far ahead is replaced.
        package func noted(holdings other: UInt32?, on today: UInt16) -> Entry? {
            let isStale = Int(day) > Int(today) + SeenCalendar.daysAhead
            if today > day || isStale { return Entry(mark: mark, holdings: other, day: today) }
            guard let other, other != holdings, notes < SeenTable.notesPerDay else { return nil }
            var entry = self
            entry.holdings = other
            entry.notes += 1
            return entry
        }

        /// A copy of the entry for a device that could not be recorded after all.
        package var unnoted: Entry {
            var entry = self
            entry.day = 0
            entry.notes = 0
            return entry
        }
    }

    /// The limit on the records of a device in a day.
    package static let notesPerDay: UInt8 = 8
    /// The limit on the bytes of a device, unless the table is small.
    package static let bytesPerDevice = 24

    private static let smallest = 16
    private var entries: [Entry] = []
    package private(set) var count = 0

    package init() {}

    /// The bytes of the table.
    package var byteCount: Int { entries.count * MemoryLayout<Entry>.stride }

    package subscript(_ mark: UInt64) -> Entry? {
        guard !entries.isEmpty else { return nil }
        let entry = entries[slot(of: mark)]
        return entry.isTaken ? entry : nil
    }

    /// Inserts an entry, or replaces the one with its mark.
    package mutating func put(_ entry: Entry) {
        // At most three quarters of the slots are taken, and the table grows by an eighth, so at least two thirds are.
        if (count + 1) * 4 > entries.count * 3 { resize(to: max(Self.smallest, entries.count + entries.count / 8)) }
        let slot = slot(of: entry.mark)
        if !entries[slot].isTaken { count += 1 }
        entries[slot] = entry
    }

    /// Removes all entries except those for which `isKept` returns `true`; returns the number removed.
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
        for entry in old where entry.isTaken { entries[slot(of: entry.mark)] = entry }
    }

    /// Returns the index of the slot of a mark.
    private func slot(of mark: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: mark.multipliedFullWidth(by: UInt64(entries.count)).high)
        while entries[slot].isTaken, entries[slot].mark != mark {
            slot = slot + 1 == entries.count ? 0 : slot + 1
        }
        return slot
    }
}
