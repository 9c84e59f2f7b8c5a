import Artifacts
import Ground
import Testing

@testable import Domain

/// Tests names of devices against values computed with Python's hmac by the definition in semantics.md §3.
struct DeviceIDsTests {
    private static let secret = Array(UInt8(0)..<16)

    private func ids(_ form: DeviceIDForm, _ secret: [UInt8] = secret) -> DeviceIDs {
        DeviceIDs(form, secret: secret, by: OpenSSLCryptography())
    }

    private func report(of device: String) throws -> Report {
        Report(
            app: .default, eventID: "1", deviceID: device, package: try #require(PackageID("news")), version: "1.0.0",
            event: "opened", time: Timestamp(milliseconds: 5), details: [.init("reason", "r")])
    }

    @Test(arguments: [
        ("default", "alice", 915, "e149c8b18cfefbc3160e8b2e44fe5550"),
        ("default", "设备", 658, "6e596499666b1b82efe0c201378dbeec"),
        ("shop", "alice", 5902, "94c87a00fdec4b9ec522265fb239665c"),
    ])
    func `a hashed id is an HMAC of the app and the id with the bucket of the plain one`(
        app: String, id: String, bucket: Int, hash: String
    ) throws {
        let app = try #require(AppID(app))
        let identity = try #require(ids(.hashed).identity(of: id, in: app))
        #expect(Hex.encode(identity.key.bytes) == hash && identity.bucket.value == bucket)
        let plain = try #require(DeviceIdentity(of: id, in: app, by: OpenSSLCryptography()))
        #expect(ids(.plain).identity(of: id, in: app) == plain && plain.bucket == identity.bucket)
        let names = try #require(ids(.plain).names(of: id, in: app))
        #expect(names == ids(.hashed).names(of: id, in: app))
        #expect(names.plain == DeviceName(text: id, key: plain.key))
        #expect(names.hashed == DeviceName(text: "hashed:" + hash, key: identity.key))
    }

    @Test func `another secret gives another hash with the same bucket`() throws {
        let (one, other) = (ids(.hashed), ids(.hashed, Array(repeating: 7, count: 32)))
        let first = try #require(one.identity(of: "alice", in: .default))
        let second = try #require(other.identity(of: "alice", in: .default))
        #expect(first.key != second.key && first.bucket == second.bucket)
    }

    @Test(arguments: DeviceIDForm.allCases)
    func `an id has 1 to 256 bytes`(form: DeviceIDForm) {
        for id in ["", String(repeating: "x", count: 257)] {
            #expect(ids(form).identity(of: id, in: .default) == nil && ids(form).names(of: id, in: .default) == nil)
        }
        #expect(ids(form).identity(of: String(repeating: "x", count: 256), in: .default) != nil)
    }

    @Test func `a key moves to a bucket without overflow at the end of the numbers`() {
        // The largest number has the remainder 1,615.
        for high in [0, 9_999, 10_000, UInt64.max - 1_616, UInt64.max - 1_615, UInt64.max] {
            for value in [0, 1, 1_615, 1_616, 9_999] {
                guard let bucket = Bucket(value) else { continue }
                let moved = DeviceKey(high: high, low: 3).moved(to: bucket)
                #expect(DeviceIdentity(moved).bucket == bucket && moved.low == 3, "\(high) \(value)")
            }
        }
        let beyond = DeviceIdentity(DeviceKey(high: 1_616, low: 0)).bucket
        #expect(DeviceKey(high: UInt64.max, low: 0).moved(to: beyond).high == UInt64.max - 9_999)
    }

    @Test func `a report is stored with the hash of its device and is otherwise the same`() throws {
        let sent = try report(of: "alice")
        let hash = "hashed:e149c8b18cfefbc3160e8b2e44fe5550"
        #expect(ids(.plain).stored(sent) == sent)
        #expect(ids(.hashed).stored(sent) == (try report(of: hash)))
        // A device may send what looks like a hash.
        #expect(ids(.hashed).stored(try report(of: hash)).deviceID != hash)
        #expect(ids(.plain).stored(try report(of: hash)).deviceID == hash)
    }

    @Test func `a spooled report is hashed unless it was when it was spooled`() throws {
        let hash = "hashed:e149c8b18cfefbc3160e8b2e44fe5550"
        #expect(ids(.hashed).stored(spooled: try report(of: "alice")).deviceID == hash)
        #expect(ids(.hashed).stored(spooled: try report(of: hash)).deviceID == hash)
        for id in ["hashed:", "hashed:e149", "hashed:" + String(repeating: "x", count: 32)] {
            #expect(ids(.hashed).stored(spooled: try report(of: id)).deviceID != id)
        }
        #expect(ids(.plain).stored(spooled: try report(of: hash)).deviceID == hash)
    }

    @Test(arguments: DeviceIDForm.allCases)
    func `a stored report names the key of its device in either form`(form: DeviceIDForm) throws {
        let names = try #require(ids(form).names(of: "alice", in: .default))
        #expect(ids(form).key(ofStored: names.hashed.text, in: .default) == names.hashed.key)
        let current = form == .plain ? names.plain.key : names.hashed.key
        #expect(ids(form).key(ofStored: "alice", in: .default) == current)
    }

    @Test(arguments: DeviceIDForm.allCases)
    func `a device list is compared by the keys of devices`(form: DeviceIDForm) throws {
        let ids = ids(form)
        func plain(_ id: String) throws -> DeviceKey { try #require(ids.names(of: id, in: .default)).plain.key }
        let listed = ids.listed(DeviceSet([try plain("alice"), try plain("bob")]))
        #expect(listed.count == 2)
        for id in ["alice", "bob"] { #expect(listed.contains(try #require(ids.identity(of: id, in: .default)).key)) }
        #expect(!listed.contains(try #require(ids.identity(of: "cy", in: .default)).key))
    }
}
