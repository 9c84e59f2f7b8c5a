import Domain
import Testing

struct DeviceSketchTests {
    private let hasher: DeviceHasher

    init() throws {
        hasher = try #require(DeviceHasher(key: Array(0..<16)))
    }

    private func hashes(_ numbers: Range<Int>) -> [UInt64] {
        numbers.map { hasher.hash("device-\($0)") }
    }

    @Test func `a hash depends on the key, which has 16 bytes`() throws {
        #expect(DeviceHasher(key: Array(0..<15)) == nil && DeviceHasher(key: Array(0..<17)) == nil)
        let other = try #require(DeviceHasher(key: Array(1..<17)))
        #expect(hasher.hash("a") != other.hash("a"))
        // The first vector of the paper on SipHash.
        #expect(hasher.hash("") == 0x726f_db47_dd0e_0e31)
    }

    private func sketch(_ numbers: Range<Int>) -> DeviceSketch { DeviceSketch(hashes(numbers)) }

    @Test func `ten thousand devices are counted exactly, and one more is estimated`() {
        var sketch = sketch(0..<10_000)
        #expect(sketch.isExact && sketch.count == 10_000)
        sketch.insert(hashes(0..<10_000))
        #expect(sketch.isExact && sketch.count == 10_000)
        sketch.insert(hashes(10_000..<10_001))
        #expect(!sketch.isExact && sketch.count > 10_000 && sketch.count < 10_250)
        #expect(DeviceSketch().count == 0)
    }

    @Test(arguments: [10_001, 20_000, 40_000, 50_000, 80_000, 200_000, 1_000_000])
    func `an estimate is within three standard errors`(count: Int) {
        let estimate = sketch(0..<count).count
        #expect(abs(Double(estimate - count)) <= 0.0244 * Double(count), "\(estimate)")
    }

    @Test func `the standard error of many estimates is the stated one, without a bias`() {
        let count = 30_000
        let errors = (0..<100).map { round in
            Double(sketch(round * count..<(round + 1) * count).count) / Double(count) - 1
        }
        let mean = errors.reduce(0, +) / 100
        let deviation = (errors.reduce(0) { $0 + $1 * $1 } / 100).squareRoot()
        #expect(abs(mean) < 0.003 && deviation < 0.0105, "\(mean) \(deviation)")
    }

    private static let sizes = [0, 1, 700, 9_999, 10_000, 12_000, 30_000]

    @Test(arguments: sizes, sizes)
    func `merging gives the sketch of the union in any order, however often`(one: Int, other: Int) {
        // Half of the smaller set is in both.
        let (first, second) = (0..<one, one - min(one, other) / 2..<one - min(one, other) / 2 + other)
        let union = DeviceSketch(hashes(first) + hashes(second))
        var merged = sketch(first)
        merged.merge(sketch(second))
        #expect(merged == union)
        var reversed = sketch(second)
        reversed.merge(sketch(first))
        #expect(reversed == union)
        merged.merge(sketch(first))
        #expect(merged == union)
        var inserted = sketch(first)
        inserted.insert(hashes(second))
        #expect(inserted == union)
        var growing = DeviceUnion()
        for hash in hashes(first) { growing.insert(hash) }
        growing.insert(sketch(second))
        #expect(growing.sketch == union)
        #expect(DeviceSketch(bytes: union.bytes) == union)
    }

    @Test func `the devices that a set adds are counted exactly up to the limit, and closely above it`() {
        #expect(sketch(0..<9_000).added(by: sketch(8_500..<10_000)) == 1_000)
        #expect(sketch(0..<10_000).added(by: sketch(0..<10_000)) == 0)
        #expect(DeviceSketch().added(by: sketch(0..<7)) == 7 && sketch(0..<7).added(by: DeviceSketch()) == 0)
        #expect(sketch(0..<50_000).added(by: sketch(20_000..<50_000)) == 0)
        // Five times the standard error of 500 devices among 10,400; that of their number is 84.
        for start in stride(from: 0, to: 400_000, by: 20_000) {
            let added = sketch(start..<start + 9_900).added(by: sketch(start + 9_000..<start + 10_400))
            #expect(abs(added - 500) <= 90, "\(added)")
        }
    }

    @Test func `a larger set never has a smaller count`() {
        var (sketch, count) = (DeviceSketch(), 0)
        for start in stride(from: 9_000, to: 12_000, by: 10) {
            sketch.insert(hashes(start == 9_000 ? 0..<start : start - 10..<start))
            #expect(sketch.count >= count)
            count = sketch.count
        }
    }

    @Test func `bytes that are no sketch are rejected`() {
        let (exact, estimated) = (sketch(0..<3).bytes, sketch(0..<10_001).bytes)
        #expect(exact.count == 25 && estimated.count == 16_385)
        var (unsorted, high) = (exact, estimated)
        unsorted.replaceSubrange(1..<9, with: [UInt8](repeating: 0xFF, count: 8))
        high[5] = 52
        var long: [UInt8] = [1]
        for number in 0..<10_001 {
            long += [0, 0, 0, 0, 0, UInt8(number & 255), UInt8(number >> 8), 0]
        }
        for bytes in [[], [3], Array(exact.dropLast()), exact + [0], unsorted, Array(estimated.dropLast()), high, long]
        {
            #expect(DeviceSketch(bytes: bytes) == nil)
        }
    }
}
