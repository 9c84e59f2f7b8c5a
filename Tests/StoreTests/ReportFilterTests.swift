import Ground
import TestKit
import Testing

@testable import Store

struct ReportFilterTests {
    @Test func `a full filter finds every report of its segment, and one of 500 others at most`() {
        var filter = ReportFilter()
        var random = SplitMix64(seed: 1)
        let members = (0..<1 << 16).map { _ in random.next() }
        for hash in members { filter.insert(hash) }
        #expect(members.allSatisfy(filter.mayContain))
        let mistakes = (0..<100_000).count { _ in filter.mayContain(random.next()) }
        #expect(mistakes < 200)
    }

    @Test func `a filter is read from its own bytes alone`() {
        var filter = ReportFilter()
        filter.insert(42)
        #expect(ReportFilter(bytes: filter.bytes)?.mayContain(42) == true)
        #expect(ReportFilter(bytes: Array(filter.bytes.dropLast())) == nil)
        #expect(ReportFilter(bytes: filter.bytes + [0]) == nil)
    }

    @Test func `a filter of hashes finds each of them`() {
        let filter = ReportFilter([1, 2, 3, .max])
        #expect(([1, 2, 3, .max] as [UInt64]).allSatisfy(filter.mayContain))
        #expect(!filter.mayContain(4))
    }
}

/// Tests the filters of many segments in memory.
struct ReportFilterGroupsTests {
    /// Segments of three groups, with those at their edges.
    private static let segments: [Int64] = [0, 1, 31, 32, 63, 64, 70]

    private func filled(_ count: Int) -> (groups: ReportFilterGroups, members: [Int64: [UInt64]]) {
        var (groups, members) = (ReportFilterGroups(), [Int64: [UInt64]]())
        var random = SplitMix64(seed: 2)
        for segment in Self.segments.reversed() {
            members[segment] = (0..<count).map { _ in random.next() }
            for hash in members[segment] ?? [] { groups.insert(hash, in: segment) }
        }
        return (groups, members)
    }

    @Test func `a lookup finds the segment of every report, and few others`() {
        let (groups, members) = filled(10_000)
        var others = 0
        for (segment, hashes) in members {
            for hash in hashes {
                let found = groups.candidates(for: hash)
                #expect(found.contains(segment))
                others += found.count - 1
            }
        }
        #expect(others < 100)
    }

    @Test func `the marks of a segment are those of its own filter, whichever way they came`() {
        let (groups, members) = filled(100)
        var copy = ReportFilterGroups()
        for segment in Self.segments {
            #expect(groups.filter(of: segment).bytes == ReportFilter(members[segment] ?? []).bytes)
            copy.insert(groups.filter(of: segment), in: segment)
        }
        for segment in Self.segments { #expect(copy.filter(of: segment).bytes == groups.filter(of: segment).bytes) }
        for segment: Int64 in [2, 999] { #expect(groups.filter(of: segment).bytes == ReportFilter().bytes) }
    }

    @Test func `32 segments share a group, and groups without a used segment are removed`() {
        var (groups, members) = filled(1)
        #expect(groups.count == 3)
        groups.keep(only: [31, 70])
        #expect(groups.count == 2)
        #expect(groups.candidates(for: members[70]?.first ?? 0) == [70])
        #expect(groups.candidates(for: members[32]?.first ?? 0) == [])
        groups.keep(only: [])
        #expect(groups.count == 0)
    }
}

/// Tests the parts of `report_ids`.
struct ReportHashesTests {
    @Test func `the bytes of a part are the last seven of each hash, in their order`() {
        let hashes: [UInt64] = [0xab00_0000_0000_0000, 0xab01_0203_0405_0607, 0xabff_ffff_ffff_ffff]
        let bytes = ReportHashes.bytes(of: hashes[...])
        #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 255, 255, 255, 255, 255, 255, 255])
        #expect(hashes.map(ReportHashes.part) == [0xab, 0xab, 0xab])
        #expect(ReportHashes.hashes(of: 0xab, in: bytes) == hashes)
    }

    @Test func `hashes are sorted, each once`() {
        var random = SplitMix64(seed: 4)
        let hashes = (0..<5_000).map { _ in random.next() >> random.next() % 64 }
        #expect(ReportHashes.sorted(hashes + hashes + [0, .max]) == Set(hashes + [0, .max]).sorted())
        #expect(ReportHashes.sorted([]) == [])
    }

    @Test func `a search finds the hashes of a part and no others`() {
        var random = SplitMix64(seed: 3)
        for count in [0, 1, 2, 255, 256] {
            let hashes = (0..<count).map { _ in (random.next() | 0xff << 56) & ~3 | 1 }.sorted()
            let bytes = ReportHashes.bytes(of: hashes[...])
            #expect(hashes.allSatisfy { ReportHashes.contains($0, in: bytes) })
            for hash in hashes { #expect(!ReportHashes.contains(hash ^ 1, in: bytes)) }
            #expect(!ReportHashes.contains(.max, in: bytes) && !ReportHashes.contains(0xff << 56, in: bytes))
        }
    }
}
