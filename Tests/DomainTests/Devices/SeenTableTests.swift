import Domain
import Testing

struct SeenTableTests {
    private typealias Entry = SeenTable.Entry

    /// Returns a mark, spread like those of digests.
    private func mark(_ number: UInt64) -> UInt64 { (number &+ 1) &* 0x9E37_79B9_7F4A_7C15 }

    @Test func `each of many devices is found, and uses at most 24 bytes`() {
        var table = SeenTable()
        #expect(table[mark(0)] == nil)
        for number in 0..<10_000 {
            table.put(Entry(mark: mark(UInt64(number)), holdings: UInt32(number), day: 7))
            if number >= 100 { #expect(table.byteCount <= (number + 1) * SeenTable.bytesPerDevice, "\(number)") }
        }
        #expect(table.count == 10_000)
        #expect((0..<10_000).allSatisfy { table[mark(UInt64($0))]?.holdings == UInt32($0) })
        #expect((10_000..<20_000).allSatisfy { table[mark($0)] == nil })
    }

    @Test func `marks with a common beginning are distinguished, and a later entry replaces the first`() {
        var table = SeenTable()
        for number in UInt64.max - 99...UInt64.max { table.put(Entry(mark: number, holdings: 1, day: 7)) }
        table.put(Entry(mark: .max, holdings: 2, day: 8))
        #expect(table.count == 100)
        #expect(table[.max]?.day == 8 && table[.max - 1]?.day == 7 && table[.max - 100] == nil)
    }

    @Test func `entries that are not kept are removed, and the others stay`() {
        var table = SeenTable()
        for number in 0..<1_000 {
            table.put(Entry(mark: mark(UInt64(number)), holdings: nil, day: UInt16(number % 10)))
        }
        #expect(table.keep { $0.day < 3 } == 700)
        #expect(table.count == 300)
        #expect((0..<1_000).allSatisfy { (table[mark(UInt64($0))] != nil) == ($0 % 10 < 3) })
        #expect(table.byteCount <= 300 * SeenTable.bytesPerDevice)
        #expect(table.keep { $0.day < 3 } == 0)
        #expect(table.keep { _ in false } == 300 && table.count == 0 && table[mark(0)] == nil)
    }

    @Test func `a device is noted once a day, and not again under a clock set back`() throws {
        let entry = Entry(mark: 1, holdings: nil, day: 100)
        #expect(entry.noted(holdings: nil, on: 100) == nil)
        #expect(entry.noted(holdings: nil, on: 101)?.day == 101)
        #expect(entry.noted(holdings: nil, on: 99) == nil)
        // A clock that was ahead by more than a day is corrected.
        #expect(entry.noted(holdings: nil, on: 98)?.day == 98)
    }

    @Test func `a device whose versions change is recorded again, at most eight times a day`() throws {
        var entry = Entry(mark: 1, holdings: 0, day: 100)
        #expect(entry.noted(holdings: 0, on: 100) == nil)
        #expect(entry.noted(holdings: nil, on: 100) == nil)
        for number in 2...UInt32(SeenTable.notesPerDay) {
            entry = try #require(entry.noted(holdings: number, on: 100), "\(number)")
            #expect(entry.noted(holdings: number, on: 100) == nil)
        }
        #expect(entry.noted(holdings: 99, on: 100) == nil)
        entry = try #require(entry.noted(holdings: 99, on: 101))
        #expect(entry.noted(holdings: 100, on: 101) != nil)
    }

    @Test func `a device that could not be noted is to be noted again`() {
        let entry = Entry(mark: 1, holdings: 5, day: 100).unnoted
        #expect(entry.noted(holdings: 5, on: 100)?.day == 100)
    }
}
