import Artifacts
import Domain
import Ground
import Testing

struct SeenDeviceTests {
    private func facts(_ values: KeyValuePairs<String, String>, have: String? = nil) throws -> DeviceFacts {
        var facts = DeviceFacts()
        facts.identity = DeviceIdentity(of: "ann", in: .default, by: OpenSSLCryptography())
        for (name, value) in values { facts[try #require(Fact(name))] = value }
        facts.holdings = have.map { Holdings($0) }
        return facts
    }

    private func seen(_ facts: DeviceFacts) throws -> SeenDevice {
        try #require(SeenDevice(facts, at: Sample.start))
    }

    @Test func `recorded facts are read as they were sent, and do not depend on their order`() throws {
        let said = try facts(
            ["region": "\"CN\"", "attr.tier": "gold", "appVersion": "8.3", "attr.a": "b"],
            have: "shop@2,news@1.0.0,news@2")
        let kept = try seen(said)
        var read = SeenDevice.read(kept.facts)
        read.identity = DeviceIdentity(kept.key)
        read.holdings = kept.have.map { Holdings($0) }
        #expect(read == said)
        #expect(kept.have == "news@1.0.0,news@2,shop@2")
        #expect(!kept.isCut && kept.seenAt == Sample.start)
        let other = try facts(
            ["attr.a": "b", "appVersion": "8.3", "attr.tier": "gold", "region": "\"CN\""],
            have: "news@1.0.0,shop@2,news@2")
        #expect(try seen(other) == kept)
        #expect(said.identity?.bucket == DeviceIdentity(kept.key).bucket)
    }

    @Test func `a device without an id is not recorded, and one with only an id is`() throws {
        #expect(SeenDevice(DeviceFacts.none, at: Sample.start) == nil)
        let kept = try seen(facts([:]))
        #expect(kept.facts == "{}" && kept.have == nil)
        #expect(try seen(facts([:], have: "")).have == "")
    }

    @Test func `facts are kept up to 1,024 bytes, and one that does not fit is left out whole`() throws {
        let long = String(repeating: "x", count: 128)
        func text(_ last: Int) throws -> SeenDevice {
            var said = try facts([
                "appVersion": long, "platform": long, "osVersion": long, "model": long, "region": long,
                "network": long,
            ])
            said[try #require(Fact("attr.a"))] = String(repeating: "y", count: 100)
            said[try #require(Fact("attr.b"))] = String(repeating: "z", count: last)
            return try seen(said)
        }
        let room = SeenDevice.maximumFactBytes - (try text(1)).facts.utf8.count + 1
        #expect((1..<128).contains(room))
        let whole = try text(room)
        #expect(whole.facts.utf8.count == SeenDevice.maximumFactBytes && !whole.isCut)
        let cut = try text(room + 1)
        #expect(cut.isCut && !cut.facts.contains("attr.b") && cut.facts.contains("attr.a"))
        #expect(JSON(parsing: Array(cut.facts.utf8)) != nil)
    }

    @Test func `the versions of a device are kept up to 2,048 bytes, item by item`() throws {
        // 128 items of 15 bytes and a comma, less the first comma.
        let items = (0..<128).map { "package\(100 + $0)@1.00" }
        let exact = items.dropLast().joined(separator: ",") + ",package227@1.000"
        let kept = try seen(facts([:], have: exact))
        #expect(kept.have?.utf8.count == SeenDevice.maximumHaveBytes && !kept.isCut)
        let past = try seen(facts([:], have: exact + "0"))
        #expect(past.isCut && past.have == items.dropLast().joined(separator: ","))
    }

    @Test func `holdings are distinguished by their content, whatever the order of packages`() {
        let digest = Holdings("news@1,news@2,shop@1").digest
        #expect(Holdings("shop@1,news@1,news@2").digest == digest)
        #expect(Holdings("shop@1,news@2,news@1").digest != digest)
        #expect(Holdings("news@1,shop@1").digest != digest)
        #expect(Holdings("").digest != digest)
    }

    @Test func `a device is another one on another channel and in another app`() throws {
        let key = DeviceKey(high: 1, low: 2)
        let channel = SeenChannel(app: .default, channel: .production)
        #expect(channel.mark(of: key) == channel.mark(of: DeviceKey(high: 1, low: 2)))
        #expect(channel.mark(of: key) != channel.mark(of: DeviceKey(high: 2, low: 1)))
        let beta = SeenChannel(app: .default, channel: try Sample.channel("beta"))
        #expect(channel.mark(of: key) != beta.mark(of: key))
        #expect(DeviceKey(bytes: key.bytes) == key && DeviceKey(bytes: [1]) == nil)
    }

    @Test func `a device counts for seven days to the millisecond, or for as many as are asked for`() {
        let noon = Sample.start.adding(milliseconds: 12 * Sample.hour)
        let window = SeenWindow(endingAt: noon)
        #expect(window.contains(noon.adding(milliseconds: -7 * Sample.day)))
        #expect(!window.contains(noon.adding(milliseconds: -7 * Sample.day - 1)))
        #expect(window.contains(noon.adding(milliseconds: -30 * Sample.day), days: 30))
        #expect(!window.contains(noon.adding(milliseconds: -30 * Sample.day - 1), days: 30))
        #expect(window.contains(noon.adding(milliseconds: Sample.day)))
        #expect(!window.contains(noon.adding(milliseconds: Sample.day + 1)))
        #expect(window.end == Sample.start.adding(milliseconds: 2 * Sample.day))
        #expect(SeenWindow.start(ofDay: Int(window.day)) == Sample.start)
    }

    @Test func `records age by the days on which the server ran`() {
        let daily = SeenCalendar((100...160).map { UInt16($0) })
        #expect(daily.oldestKept(keeping: 30, on: 160) == 130)
        #expect(daily.oldestKept(keeping: 7, on: 160) == 153)
        #expect(SeenCalendar([100, 101]).oldestKept(keeping: 2, on: 102) == 100)
        #expect(SeenCalendar([100, 101]).oldestKept(keeping: 3, on: 102) == 0)
        // A server that was down removes nothing because of it.
        #expect(SeenCalendar([100, 101, 102]).oldestKept(keeping: 2, on: 400) == 101)
    }

    @Test(arguments: [1, 31, 400, 20_000])
    func `a clock that jumps ahead ages records by one day`(by jump: Int) {
        let before = SeenCalendar((100...160).map { UInt16($0) })
        let jumped = SeenCalendar((100...160).map { UInt16($0) } + [UInt16(160 + jump)])
        let today = UInt16(160 + jump)
        #expect(jumped.oldestKept(keeping: 30, on: today) == before.oldestKept(keeping: 30, on: 160) + 1)
    }

    @Test func `a clock is behind if the server ran on more later days than earlier ones`() {
        let days = (100...109).map { UInt16($0) }
        #expect(SeenCalendar(days).isBehind(on: 0))
        #expect(!SeenCalendar(days).isBehind(on: 109) && !SeenCalendar(days).isBehind(on: 110))
        // One day of a clock that was ahead.
        #expect(!SeenCalendar(days + [500]).isBehind(on: 110))
        #expect(!SeenCalendar([500]).isBehind(on: 100) && SeenCalendar([500, 501]).isBehind(on: 100))
        #expect(!SeenCalendar([]).isBehind(on: 100))
    }

    @Test func `a full server keeps records for a week`() {
        #expect(SeenCalendar.days(of: 9, limit: 10) == 30)
        #expect(SeenCalendar.days(of: 10, limit: 10) == 7)
    }
}
