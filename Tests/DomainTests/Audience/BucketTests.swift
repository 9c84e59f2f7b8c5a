import Artifacts
import Domain
import Testing
import WorldKit

/// Tests buckets against numbers computed with Python's hashlib by the definition in semantics.md §3.
struct BucketTests {
    @Test(arguments: [
        ("default", "alice", 915), ("default", "device-1", 9652), ("default", "设备", 658), ("shop", "alice", 5902),
        ("default", String(repeating: "x", count: 256), 3844),
    ])
    func `a bucket follows from the app and the id`(app: String, id: String, bucket: Int) throws {
        let app = try #require(AppID(app))
        let identity = try #require(DeviceIdentity(of: id, in: app, by: BucketOrders.cryptography))
        #expect(identity.bucket.value == bucket)
    }

    @Test func `the key is the beginning of the same digest`() throws {
        let key = DeviceKey(high: 0x5FC8_4BDE_A64C_AD03, low: 0xEEC2_AA51_F992_682D)
        #expect(BucketOrders.identity("alice")?.key == key)
    }

    @Test func `an id has 1 to 256 bytes`() {
        #expect(BucketOrders.identity("") == nil)
        #expect(BucketOrders.identity(String(repeating: "x", count: 257)) == nil)
        #expect(BucketOrders.identity("x") != nil)
    }

    @Test func `there are buckets from 0 to 9,999`() {
        #expect(Bucket(-1) == nil && Bucket(10_000) == nil)
        #expect(Bucket(0)?.value == 0 && Bucket(9999)?.value == 9999)
    }

    @Test func `the id wins over a bucket that is sent`() {
        var facts = DeviceFacts()
        #expect(facts.bucket == nil && facts.isEmpty)
        facts.sentBucket = Bucket(7)
        #expect(facts.bucket?.value == 7 && !facts.isEmpty)
        facts.identity = BucketOrders.identity("alice")
        #expect(facts.bucket?.value == 915)
    }
}

struct PositionTableTests {
    private func table(_ salt: [UInt8]) throws -> PositionTable {
        BucketOrders.table(of: try #require(Salt(bytes: salt)))
    }

    private func position(_ bucket: Int, in table: PositionTable) throws -> Int {
        table.position(of: try #require(Bucket(bucket)))
    }

    @Test func `the order of a salt is known`() throws {
        let table = try table(Array(0..<16))
        let known = [0: 4838, 1: 2447, 255: 2049, 256: 8298, 4242: 4691, 9999: 8586, 4706: 0, 9671: 100, 4408: 9999]
        for (bucket, expected) in known { #expect(try position(bucket, in: table) == expected) }
    }

    @Test(arguments: [
        (Array(UInt8(0)..<16), "9668948116406241c17585eb7db63019bae946fc88610a3770e7db486101796d"),
        (Array(repeating: UInt8(7), count: 16), "d2f3af40c5d026dcbb50e597d606f5b087ce44e3cb8b52da1c5395d754f9a1ad"),
    ])
    func `all positions of a salt, two bytes each, have a known digest`(salt: [UInt8], digest: String) throws {
        let table = try table(salt)
        let bytes = try (0..<Bucket.count).flatMap { bucket in
            let position = try position(bucket, in: table)
            return [UInt8(position >> 8), UInt8(position & 0xFF)]
        }
        #expect(BucketOrders.cryptography.sha256(bytes).hex == digest)
    }

    @Test func `each position occurs once`() throws {
        let table = try table(Array(repeating: 9, count: 16))
        let positions = try (0..<Bucket.count).map { try position($0, in: table) }
        #expect(positions.sorted() == Array(0..<Bucket.count))
    }

    @Test func `a salt has 16 bytes, and each that is drawn is another`() {
        #expect(Salt(bytes: Array(repeating: 0, count: 15)) == nil)
        #expect(Salt(bytes: Array(repeating: 0, count: 17)) == nil)
        let drawn = (0..<100).map { _ in Salt.random(by: BucketOrders.cryptography) }
        #expect(Set(drawn).count == 100 && drawn.allSatisfy { $0.bytes.count == Salt.length })
    }
}
