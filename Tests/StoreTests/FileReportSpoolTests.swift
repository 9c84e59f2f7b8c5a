import Domain
import Foundation
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchDirectory)
struct FileReportSpoolTests {
    private let folder = ScratchDirectory.path
    private var path: String { "\(folder)/\(FileReportSpool.fileName)" }
    private static let headCount = 32

    private func spool(_ limit: Int = FileReportSpool.defaultLimit) throws -> FileReportSpool {
        try FileReportSpool(in: folder, limit: limit)
    }

    private func reports(_ numbers: ClosedRange<Int>, details: [JSON.Member] = []) throws -> [Report] {
        let package = try Fixture.package("news")
        return numbers.map { number in
            Report(
                app: Fixture.app, eventID: "e\(number)", deviceID: "d", package: package, version: "1.0.0",
                event: "applied", time: Fixture.start, details: details)
        }
    }

    private func contents() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func replaceContents(by data: Data) throws { try data.write(to: URL(filePath: path)) }

    @Test func `requests are read in their order, also after a crash`() async throws {
        let odd = [JSON.Member("a", .array([.number("1e3"), "\u{0}\"\\é\u{2028}"])), JSON.Member("b", .null)]
        let requests = [try reports(1...3), try reports(4...4, details: odd), try reports(5...9)]
        let first = try spool()
        #expect(try await first.append(Array(requests.prefix(2))) == 2)
        #expect(try await first.append([requests[2]]) == 1)
        #expect(try await first.oldest(upTo: 9) == requests)
        // No call ends the spool of a process that crashes.
        let second = try spool()
        #expect(second.discarded == 0)
        #expect(second.figures.reports == 9)
        #expect(second.figures == first.figures)
        #expect(try await second.oldest(upTo: 9) == requests)
        #expect(try await second.oldest(upTo: 8) == Array(requests.prefix(2)))
        #expect(try await second.oldest(upTo: 1) == Array(requests.prefix(1)))
    }

    @Test func `details may be as deep as in a body`() async throws {
        let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        let value = try #require(JSON(parsing: Array(deep.utf8)))
        let requests = [try reports(1...1, details: [.init("deep", value)])]
        _ = try await spool().append(requests)
        #expect(try await spool().oldest(upTo: 1) == requests)
    }

    @Test func `removed requests do not return, and an emptied spool takes no room`() async throws {
        let first = try spool()
        _ = try await first.append([try reports(1...2), try reports(3...3), try reports(4...4)])
        _ = try await first.oldest(upTo: 3)
        try await first.removeOldest(1)
        #expect(first.figures.reports == 2)
        #expect(try await first.oldest(upTo: 9) == [try reports(3...3), try reports(4...4)])
        let second = try spool()
        #expect(try await second.oldest(upTo: 9) == [try reports(3...3), try reports(4...4)])
        try await second.removeOldest(2)
        #expect(second.figures == ReportSpoolFigures(reports: 0, bytes: 0))
        #expect(try contents().count == Self.headCount)
        _ = try await second.append([try reports(5...5)])
        #expect(try await spool().oldest(upTo: 9) == [try reports(5...5)])
    }

    @Test func `a crash between emptying the file and writing its head loses no later report`() async throws {
        let first = try spool()
        _ = try await first.append([try reports(1...1), try reports(2...2)])
        _ = try await first.oldest(upTo: 1)
        try await first.removeOldest(1)
        try replaceContents(by: try contents().prefix(Self.headCount))
        let second = try spool()
        #expect(second.figures.reports == 0 && second.discarded == 0)
        // As long as the removed one, whose end the head had as the offset.
        _ = try await second.append([try reports(3...3), try reports(4...4)])
        #expect(try await spool().oldest(upTo: 9) == [try reports(3...3), try reports(4...4)])
    }

    @Test func `requests fill the file up to its limit, and one byte less refuses the last one`() async throws {
        let requests = [try reports(1...1), try reports(2...2), try reports(3...3)]
        _ = try await spool().append(requests)
        let size = try contents().count
        try FileManager.default.removeItem(atPath: path)
        let exact = try spool(size)
        #expect(try await exact.append(requests) == 3)
        #expect(try await exact.append([try reports(4...4)]) == 0)
        #expect(try contents().count == size)
        try FileManager.default.removeItem(atPath: path)
        let smaller = try spool(size - 1)
        #expect(try await smaller.append(requests) == 2)
        #expect(try await smaller.oldest(upTo: 9) == Array(requests.prefix(2)))
    }

    @Test func `a limit of zero admits no report, and those of an earlier limit can be read`() async throws {
        _ = try await spool().append([try reports(1...2)])
        let none = try spool(0)
        #expect(try await none.append([try reports(3...3)]) == 0)
        #expect(try await none.oldest(upTo: 9) == [try reports(1...2)])
        try await none.removeOldest(1)
        #expect(none.figures.reports == 0)
    }

    @Test func `wherever a crash tears the last record, the ones before it stay`() async throws {
        _ = try await spool().append([try reports(1...1)])
        let before = try contents().count
        _ = try await spool().append([try reports(2...2)])
        let whole = try contents()
        for length in before..<whole.count {
            try replaceContents(by: whole.prefix(length))
            let torn = try spool()
            #expect(torn.discarded == length - before, "\(length)")
            #expect(try await torn.oldest(upTo: 9) == [try reports(1...1)], "\(length)")
            // The next record follows the last whole one.
            _ = try await torn.append([try reports(3...3)])
            #expect(try await spool().oldest(upTo: 9) == [try reports(1...1), try reports(3...3)], "\(length)")
        }
    }

    @Test func `a record with any other byte is discarded`() async throws {
        _ = try await spool().append([try reports(1...1)])
        let whole = try contents()
        for index in Self.headCount..<whole.count {
            var changed = whole
            changed[index] ^= 1
            try replaceContents(by: changed)
            let opened = try spool()
            #expect(opened.discarded == whole.count - Self.headCount, "\(index)")
            #expect(opened.figures.reports == 0, "\(index)")
        }
    }

    @Test func `a damaged record is skipped, and the ones around it stay`() async throws {
        let requests = [try reports(1...2), try reports(3...5), try reports(6...6), try reports(7...7)]
        let first = try spool()
        var ends: [Int] = []
        for request in requests {
            _ = try await first.append([request])
            ends.append(Self.headCount + first.figures.bytes)
        }
        let whole = try contents()
        var changed = whole
        // In the checksum of the second record, and in the content of the third one.
        changed[ends[0] + 8] ^= 1
        changed[ends[2] - 1] ^= 1
        try replaceContents(by: changed)
        for _ in 0..<2 {
            let opened = try spool()
            #expect(opened.discarded == 0 && opened.figures.reports == 3)
            #expect(opened.losses == SpoolLosses(records: 2, reports: 4, bytes: ends[2] - ends[0]))
            #expect(FileReportSpool.count(in: folder) == 3)
            #expect(try await opened.oldest(upTo: 9) == [requests[0], requests[3]])
        }
        let opened = try spool()
        _ = try await opened.oldest(upTo: 2)
        try await opened.removeOldest(1)
        _ = try await opened.append([try reports(8...8)])
        #expect(try await opened.oldest(upTo: 9) == [requests[3], try reports(8...8)])
        #expect(try spool().losses.records == 2)
        try await opened.removeOldest(2)
        #expect(opened.figures == ReportSpoolFigures(reports: 0, bytes: 0))
        let emptied = try spool()
        #expect(emptied.losses == SpoolLosses())
    }

    @Test func `records that begin where a damaged one was are read, once the spool was emptied`() async throws {
        let requests = [try reports(1...1), try reports(2...2)]
        _ = try await spool().append(requests)
        var changed = try contents()
        changed[Self.headCount + 8] ^= 1
        try replaceContents(by: changed)
        let opened = try spool()
        #expect(try await opened.oldest(upTo: 9) == [requests[1]])
        try await opened.removeOldest(1)
        _ = try await opened.append(requests)
        #expect(try await opened.oldest(upTo: 9) == requests)
        try await opened.removeOldest(2)
        #expect(opened.figures == ReportSpoolFigures(reports: 0, bytes: 0))
    }

    @Test(arguments: [0, 3, 8])
    func `a record that is damaged while the spool is open is an error, after those before it were read`(
        index: Int
    ) async throws {
        let opened = try spool()
        _ = try await opened.append([try reports(1...1)])
        let before = try contents().count
        _ = try await opened.append([try reports(2...2), try reports(3...3)])
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let byte = try contents()[before + index]
        try file.seek(toOffset: UInt64(before + index))
        try file.write(contentsOf: Data([byte ^ 0x7F]))
        #expect(try await opened.oldest(upTo: 9) == [try reports(1...1)])
        try await opened.removeOldest(1)
        #expect(try await code { _ = try await opened.oldest(upTo: 9) } == .storageFailed)
        #expect(opened.figures.reports == 2)
    }

    @Test(arguments: [0, 2, 3, 7])
    func `a record whose length or number is impossible ends the spool`(index: Int) async throws {
        _ = try await spool().append([try reports(1...1)])
        let before = try contents().count
        _ = try await spool().append([try reports(2...2), try reports(3...3)])
        var changed = try contents()
        // A wrong length, a length that reaches past the end, one past the limit, and too many reports.
        changed[before + index] ^= 0x7F
        try replaceContents(by: changed)
        let opened = try spool()
        #expect(opened.discarded == changed.count - before && opened.losses == SpoolLosses())
        #expect(try await opened.oldest(upTo: 9) == [try reports(1...1)])
    }

    @Test func `a damaged record at the end is discarded like one that a crash tore`() async throws {
        _ = try await spool().append([try reports(1...1)])
        let before = try contents().count
        _ = try await spool().append([try reports(2...2), try reports(3...3)])
        var changed = try contents()
        for index in [before + 8, changed.count - 1] { changed[index] ^= 1 }
        try replaceContents(by: changed)
        let opened = try spool()
        #expect(opened.discarded == changed.count - before && opened.losses == SpoolLosses())
        #expect(try contents().count == before)
        #expect(try await opened.oldest(upTo: 9) == [try reports(1...1)])
    }

    @Test(arguments: [8, 16])
    func `without a valid offset all records are read again`(index: Int) async throws {
        let first = try spool()
        _ = try await first.append([try reports(1...1), try reports(2...2)])
        _ = try await first.oldest(upTo: 1)
        try await first.removeOldest(1)
        var changed = try contents()
        changed[index] ^= 0xFF
        try replaceContents(by: changed)
        #expect(try await spool().oldest(upTo: 9) == [try reports(1...1), try reports(2...2)])
    }

    @Test(arguments: 0..<headCount)
    func `a head that a crash tore is written again`(length: Int) async throws {
        try replaceContents(by: Data(repeating: 0, count: length))
        #expect(try await spool().append([try reports(1...1)]) == 1)
        #expect(try await spool().oldest(upTo: 9) == [try reports(1...1)])
    }

    @Test func `a new file whose head was never written is a new spool`() async throws {
        try replaceContents(by: Data(count: Self.headCount))
        let spool = try spool()
        #expect(try await spool.append([try reports(1...2)]) == 1)
        #expect(spool.figures.reports == 2)
    }

    @Test func `a file of another format is refused and not changed`() async throws {
        let other = Data("LSPOOL\u{0}\u{2}".utf8) + Data(repeating: 7, count: 100)
        try replaceContents(by: other)
        #expect(try await code { _ = try spool() } == .conflict)
        #expect(try contents() == other)
        #expect(FileReportSpool.count(in: folder) == nil)
    }

    @Test func `the number of waiting reports is known without opening the spool`() async throws {
        #expect(FileReportSpool.count(in: folder) == nil)
        _ = try await spool().append([try reports(1...2), try reports(3...3)])
        #expect(FileReportSpool.count(in: folder) == 3)
    }
}
