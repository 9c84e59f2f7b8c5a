import Domain
import Testing
import WorldKit

struct DeviceSetTests {
    private func key(_ high: UInt64, _ low: UInt64 = 0) -> DeviceKey { DeviceKey(high: high, low: low) }

    @Test func `a set holds its devices once, whatever their order, and no others`() {
        let keys = [key(5), key(.max, .max), key(0), key(5, 1), key(5), key(0, .max)]
        let set = DeviceSet(keys)
        #expect(set.count == 5)
        for key in keys { #expect(set.contains(key)) }
        for other in [key(0, 1), key(1), key(4, .max), key(5, 2), key(6), key(.max), key(.max, .max - 1)] {
            #expect(!set.contains(other))
        }
    }

    @Test(arguments: 0...9)
    func `every device of a small set is found, and what lies between is not`(count: Int) {
        let set = DeviceSet((0..<count).map { key(UInt64($0) * 2 + 1) })
        for number in 0..<UInt64(count) { #expect(set.contains(key(number * 2 + 1))) }
        for number in 0...UInt64(count) { #expect(!set.contains(key(number * 2))) }
    }

    @Test func `bytes are big-endian, in order, and are read again`() {
        let set = DeviceSet([key(0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10), key(0, 1)])
        #expect(set.bytes == Array(repeating: 0, count: 15) + [1] + Array(1...16))
        #expect(DeviceSet(bytes: set.bytes) == set)
        #expect(DeviceSet(bytes: [])?.count == 0)
        #expect(set.bytes.count == 2 * DeviceSet.bytesPerDevice)
    }

    @Test func `bytes that are cut, out of order or repeated are refused`() {
        let (one, two) = (DeviceSet([key(1)]).bytes, DeviceSet([key(2)]).bytes)
        #expect(DeviceSet(bytes: one + two) != nil)
        #expect(DeviceSet(bytes: two + one) == nil)
        #expect(DeviceSet(bytes: one + one) == nil)
        #expect(DeviceSet(bytes: Array(one.dropLast())) == nil)
        #expect(DeviceSet(bytes: one + [0]) == nil)
    }

    @Test func `ids become the keys of their digests`() {
        let set = BucketOrders.devices(["alice", "bob", "alice"])
        #expect(set.count == 2)
        #expect(BucketOrders.identity("bob").map { set.contains($0.key) } == true)
        #expect(BucketOrders.identity("carol").map { set.contains($0.key) } == false)
    }
}
