import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests which devices are recorded, and how often.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DevicesSeenTests {
    private static let day: Int64 = 86_400_000

    private func facts(_ id: String, have: String? = nil, of service: TestService) -> DeviceFacts {
        var facts = DeviceFacts()
        facts.identity = DeviceIdentity(of: id, in: .default, by: service.cryptography)
        facts.holdings = have.map { Holdings($0) }
        return facts
    }

    private func note(_ id: String, have: String? = nil, on service: TestService) throws {
        service.devicesSeen.note(facts(id, have: have, of: service), in: try service.view())
    }

    /// Returns the rows after all pending ones are written.
    private func rows(_ service: TestService) async throws -> [SeenDevice] {
        await service.devicesSeen.flush { Issue.record($0) }
        return try await service.store.seenDevices(
            in: SeenChannel(app: .default, channel: .production), after: nil, upTo: 100_000)
    }

    /// Runs a service on the next days.
    private func run(_ service: TestService, days: Int) async throws {
        for _ in 0..<days {
            try await service.devicesSeen.sweep()
            service.clock.advance(milliseconds: Self.day)
        }
        try await service.devicesSeen.sweep()
    }

    @Test func `a device is kept for 30 days`() async throws {
        let service = try await TestService()
        try note("ann", on: service)
        _ = try await rows(service)
        try await run(service, days: 30)
        #expect(try await rows(service).count == 1 && service.devicesSeen.figures.devices == 1)
        try await run(service, days: 1)
        #expect(try await rows(service).isEmpty && service.devicesSeen.figures.devices == 0)
    }

    @Test(arguments: [1, 8, 31, 400])
    func `a clock that jumps ahead removes no device, and no other one when it is right again`(
        by days: Int64
    ) async throws {
        let service = try await TestService()
        for id in ["ann", "bob", "cy"] { try note(id, on: service) }
        _ = try await rows(service)
        try await run(service, days: 3)
        let last = try await rows(service)
        service.clock.advance(milliseconds: days * Self.day)
        try await service.devicesSeen.sweep()
        #expect(try await rows(service) == last)
        // Ann asks while the clock is ahead.
        try note("ann", on: service)
        #expect(try await rows(service).count == 3)
        #expect(try await service.restarted().devicesSeen.figures.devices == 3)
        service.clock.advance(milliseconds: -days * Self.day)
        try await service.devicesSeen.sweep()
        let after = try await rows(service)
        #expect(after.map(\.key) == last.map(\.key))
        #expect(after.allSatisfy { $0.seenAt <= service.clock.now().adding(milliseconds: Self.day) })
        #expect(service.devicesSeen.figures.devices == 3)
        // A request of a day that a clock was ahead by counts for that day.
        try await run(service, days: SeenCalendar.days + SeenCalendar.daysAhead + 1)
        #expect(try await rows(service).isEmpty)
    }

    @Test func `a clock that is far behind removes no device and no number`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        try note("ann", have: "news@1.0.0", on: service)
        let before = try await rows(service)
        try await run(service, days: 3)
        let news = try #require(PackageID("news"))
        let place = SeenChannel(app: .default, channel: .production)
        let numbers = try await service.store.adoptionDays(of: news, in: place)
        #expect(numbers.count == 4)
        service.clock.advance(milliseconds: -service.clock.now().milliseconds)
        try await service.devicesSeen.sweep()
        #expect(try await rows(service) == before)
        #expect(try await service.store.adoptionDays(of: news, in: place) == numbers)
    }

    @Test func `once a day the devices of the week are counted by the published version that they use`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        try await service.publish("2.0.0", ["index.html": "two"])
        try note("ann", have: "news@1.0.0,news@2.0.0", on: service)
        try note("bob", have: "news@2.0.0", on: service)
        try note("cy", have: "news@3.0.0,shop@1.0.0", on: service)
        try note("di", on: service)
        _ = try await rows(service)
        let today = SeenWindow(endingAt: service.clock.now()).day
        try await service.devicesSeen.sweep()
        let place = SeenChannel(app: .default, channel: .production)
        let news = try #require(PackageID("news"))
        func days() async throws -> [String] {
            try await service.store.adoptionDays(of: news, in: place).map {
                "\(Int($0.day) - Int(today)) \($0.version) \($0.devices)"
            }
        }
        #expect(try await days() == ["0 1.0.0 1", "0 2.0.0 1"])
        try note("eve", have: "news@1.0.0", on: service)
        _ = try await rows(service)
        // The numbers of a day stay, also after a restart.
        try await service.restarted().devicesSeen.sweep()
        #expect(try await days() == ["0 1.0.0 1", "0 2.0.0 1"])
        service.clock.advance(milliseconds: Self.day)
        try await service.devicesSeen.sweep()
        #expect(try await days() == ["1 1.0.0 2", "1 2.0.0 1", "0 1.0.0 1", "0 2.0.0 1"])
    }

    @Test func `a server that began with a clock ahead counts and removes after as many right days`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        let years = 5 * 365 * Self.day
        service.clock.advance(milliseconds: years)
        try note("ann", have: "news@1.0.0", on: service)
        _ = try await rows(service)
        try await run(service, days: 1)
        service.clock.advance(milliseconds: -years)
        try note("bob", have: "news@1.0.0", on: service)
        let before = try await rows(service)
        let news = try #require(PackageID("news"))
        let channel = SeenChannel(app: .default, channel: .production)
        try await service.devicesSeen.sweep()
        #expect(try await rows(service) == before)
        #expect(try await service.store.adoptionDays(of: news, in: channel).count == 2)
        try await run(service.restarted(), days: 1)
        let now = service.clock.now()
        #expect(try await rows(service).map(\.seenAt).max() == now)
        let days = try await service.store.adoptionDays(of: news, in: channel)
        let today = SeenWindow(endingAt: now).day
        #expect(days.map(\.day) == [today] && days.map(\.devices) == [2])
    }

    @Test func `numbers that could not be stored are counted by the next sweep of the day`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        try note("ann", have: "news@1.0.0", on: service)
        _ = try await rows(service)
        service.store.setBefore(.noteAdoption) { () throws(PlatformError) in
            throw PlatformError(.storageUnavailable, "away")
        }
        await #expect(throws: PlatformError.self) { try await service.devicesSeen.sweep() }
        service.store.setBefore(.noteAdoption, nil)
        try await service.restarted().devicesSeen.sweep()
        let news = try #require(PackageID("news"))
        let channel = SeenChannel(app: .default, channel: .production)
        #expect(try await service.store.adoptionDays(of: news, in: channel).map(\.devices) == [1])
    }

    @Test func `devices are recorded while a sweep runs`() async throws {
        let service = try await TestService()
        try note("ann", on: service)
        _ = try await rows(service)
        let sweeping = AsyncStream.makeStream(of: Void.self)
        let (written, held) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        service.store.setBefore(.removeSeenDevices) { () throws(PlatformError) in
            sweeping.continuation.yield()
            for await _ in held.stream {}
        }
        service.store.setAfter(.noteSeenDevices) { () throws(PlatformError) in written.continuation.finish() }
        let loop = Task { await service.devicesSeen.run { Issue.record($0) } }
        var sweeps = sweeping.stream.makeAsyncIterator()
        await sweeps.next()
        try note("bob", on: service)
        for await _ in written.stream {}
        held.continuation.finish()
        loop.cancel()
        await loop.value
        #expect(try await rows(service).count == 2)
    }

    @Test func `a device is noted once a day by UTC`() async throws {
        let service = try await TestService()
        let start = service.clock.now()
        try note("ann", on: service)
        service.clock.advance(milliseconds: Self.day - 1)
        try note("ann", on: service)
        #expect(try await rows(service).map(\.seenAt) == [start])
        service.clock.advance(milliseconds: 1)
        try note("ann", on: service)
        #expect(try await rows(service).map(\.seenAt) == [start.adding(milliseconds: Self.day)])
    }

    @Test func `a clock set back records no device again`() async throws {
        let service = try await TestService()
        service.clock.advance(milliseconds: 2 * Self.day)
        let start = service.clock.now()
        try note("ann", on: service)
        service.clock.advance(milliseconds: -Self.day)
        try note("ann", on: service)
        #expect(try await rows(service).map(\.seenAt) == [start])
        // More than a day back: one of the clocks is wrong, and the versions are recorded with the later time.
        service.clock.advance(milliseconds: -Self.day)
        try note("ann", have: "news@1", on: service)
        #expect(try await rows(service).map(\.seenAt) == [start])
        #expect(try await rows(service).map(\.have) == ["news@1"])
    }

    @Test func `a server that boots with a clock far behind removes no device once the clock is right`() async throws {
        let service = try await TestService()
        try note("ann", on: service)
        let before = try await rows(service)
        try await run(service, days: 3)
        let right = service.clock.now().milliseconds
        service.clock.advance(milliseconds: -right)
        let next = try await service.restarted()
        try note("ann", on: next)
        #expect(try await rows(next) == before)
        service.clock.advance(milliseconds: right)
        try await next.devicesSeen.sweep()
        #expect(try await rows(next) == before)
    }

    @Test func `a clock that was ahead when the channel was prepared gives no device a wrong date`() async throws {
        let service = try await TestService()
        let start = service.clock.now()
        service.clock.advance(milliseconds: 30 * Self.day)
        try await service.live.load()
        service.clock.advance(milliseconds: -30 * Self.day)
        #expect(try service.view().instant > start)
        try note("ann", on: service)
        #expect(try await rows(service).map(\.seenAt) == [start])
    }

    @Test func `an app that was changed under a clock far ahead evicts no device of another app`() async throws {
        let service = try await TestService()
        let start = service.clock.now()
        let other = try #require(AppID("other"))
        _ = try await service.catalogue.createApp(other, by: .server)
        let view = try #require(try service.live.requireApp(other).view(of: .production))
        service.devicesSeen.note(facts("bob", of: service), in: view)
        _ = try await rows(service)
        service.clock.advance(milliseconds: 30 * Self.day)
        try await service.ship("1.0.0")
        service.clock.advance(milliseconds: -30 * Self.day)
        try note("ann", on: service)
        #expect(try await rows(service).map(\.seenAt) == [start.adding(milliseconds: 30 * Self.day)])
        try await service.devicesSeen.sweep()
        let channel = SeenChannel(app: other, channel: .production)
        #expect(try await service.store.seenDevices(in: channel, after: nil, upTo: 9).map(\.seenAt) == [start])
        #expect(try await rows(service).count == 1 && service.devicesSeen.figures.devices == 2)
        #expect(try await service.restarted().devicesSeen.figures.devices == 2)
    }

    @Test func `a device that has something else is noted again, eight times a day`() async throws {
        let service = try await TestService()
        try note("ann", on: service)
        try note("ann", have: "news@1", on: service)
        #expect(try await rows(service).map(\.have) == ["news@1"])
        // A device that does not send its versions has not lost them.
        try note("ann", on: service)
        try note("ann", have: "news@1", on: service)
        #expect(try await rows(service).map(\.have) == ["news@1"])
        for version in 3...Int(SeenTable.notesPerDay) { try note("ann", have: "news@\(version)", on: service) }
        #expect(try await rows(service).map(\.have) == ["news@8"])
        try note("ann", have: "news@9", on: service)
        #expect(try await rows(service).map(\.have) == ["news@8"])
        service.clock.advance(milliseconds: Self.day)
        try note("ann", have: "news@9", on: service)
        #expect(try await rows(service).map(\.have) == ["news@9"])
    }

    @Test func `past the limit new devices are dropped and counted, and known ones stay`() async throws {
        let service = try await TestService(devicesSeen: 2)
        for id in ["ann", "bob", "cy"] { try note(id, on: service) }
        let before = try await rows(service)
        #expect(before.count == 2)
        #expect(service.devicesSeen.figures.devices == 2 && service.devicesSeen.figures.dropped == 1)
        #expect(service.devicesSeen.figures.isLimitReached)
        service.clock.advance(milliseconds: Self.day)
        try note("ann", on: service)
        try note("cy", on: service)
        let after = try await rows(service)
        #expect(after.map(\.key) == before.map(\.key) && after != before)
        // Bob is removed a week after the last request, since the limit is reached.
        try await run(service, days: 6)
        #expect(try await rows(service).count == 2)
        try await run(service, days: 1)
        #expect(try await rows(service).count == 1)
        #expect(service.devicesSeen.figures.devices == 1)
        try note("cy", on: service)
        #expect(try await rows(service).count == 2)
        #expect(service.devicesSeen.figures.dropped == 2)
    }

    @Test func `a sweep removes every text to which no device refers`() async throws {
        let service = try await TestService()
        try note("ann", have: "news@1.0.0", on: service)
        let before = try await rows(service)
        let database = try Database(.file("\(service.folder)/larder.sqlite"))
        // More than one transaction removes.
        try database.execute(
            """
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100050)
            INSERT INTO seen_texts (hash, text) SELECT number, 'unused ' || number FROM numbers
            """)
        try await service.devicesSeen.sweep()
        let texts: [String] = try database.values("SELECT text FROM seen_texts ORDER BY number")
        #expect(texts == ["{}", "news@1.0.0"])
        #expect(try await rows(service) == before)
    }

    @Test func `texts that invented devices sent and replaced make room on the next day`() async throws {
        let service = try await TestService()
        let channel = SeenChannel(app: .default, channel: .production)
        func note(_ number: Int, _ text: Int) async throws -> SeenDevice? {
            let have = "news@1-\(text)" + String(repeating: "x", count: 1_900)
            let device = SeenDevice(
                key: DeviceKey(high: UInt64(number), low: 9), facts: "{}", have: have, isCut: false,
                seenAt: service.clock.now())
            try await service.store.noteSeenDevices([channel: [device]])
            let devices = try await service.store.seenDevices(in: channel, after: nil, upTo: 1_000)
            return devices.last { $0.key == device.key }
        }
        try await service.devicesSeen.sweep()
        var isFull = false
        for text in 0..<200 where !isFull { isFull = try await note(text % 20, text)?.have == nil }
        #expect(isFull)
        service.clock.advance(milliseconds: Self.day)
        try await service.devicesSeen.sweep()
        #expect(try await note(30, 1_000)?.have != nil)
    }

    @Test func `a device that does not fit into the queue is dropped, counted, and recorded at its next request`()
        async throws
    {
        let service = try await TestService()
        for number in 0..<DevicesSeen.queueLength { try note("device \(number)", on: service) }
        #expect(service.devicesSeen.figures.dropped == 0)
        try note("ann", on: service)
        #expect(service.devicesSeen.figures.dropped == 1)
        #expect(service.devicesSeen.figures.devices == DevicesSeen.queueLength)
        #expect(try await rows(service).count == DevicesSeen.queueLength)
        try note("ann", on: service)
        #expect(try await rows(service).count == DevicesSeen.queueLength + 1)
    }

    @Test func `the queue of devices is limited by the bytes of their versions`() async throws {
        let service = try await TestService()
        let have = (0..<Holdings.maximumItems).map { "package-\($0)@1.0.0" }.joined(separator: ",")
        var said = facts("ann", have: have, of: service)
        let view = try service.view()
        let room = DevicesSeen.queueBytes / said.estimatedBytes
        #expect(room > 1 && room < DevicesSeen.queueLength)
        for number in 0..<room {
            said.identity = DeviceIdentity(of: "device \(number)", in: .default, by: service.cryptography)
            service.devicesSeen.note(said, in: view)
        }
        #expect(service.devicesSeen.figures.dropped == 0)
        said.identity = DeviceIdentity(of: "ann", in: .default, by: service.cryptography)
        service.devicesSeen.note(said, in: view)
        #expect(service.devicesSeen.figures.dropped == 1 && service.devicesSeen.figures.devices == room)
        #expect(try await rows(service).count == room)
        // Written devices make room.
        service.devicesSeen.note(said, in: view)
        #expect(try await rows(service).count == room + 1)
    }

    @Test func `a device that the store refuses is logged, dropped, and recorded at its next request`() async throws {
        let service = try await TestService()
        service.store.setBefore(.noteSeenDevices) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "full")
        }
        try note("ann", on: service)
        let failures = Counter()
        await service.devicesSeen.flush { _ in _ = failures.increment() }
        #expect(failures.value == 1 && service.devicesSeen.figures.dropped == 1)
        service.store.setBefore(.noteSeenDevices, nil)
        #expect(try await rows(service).isEmpty)
        try note("ann", on: service)
        #expect(try await rows(service).count == 1)
    }

    @Test func `until the recorded devices are loaded, requests are dropped and counted`() async throws {
        let service = try await TestService()
        let next = DevicesSeen(
            live: service.live, store: service.store, deviceIDs: service.deviceIDs, clock: service.clock,
            work: service.work)
        let view = try service.view()
        next.note(facts("ann", of: service), in: view)
        next.note(.none, in: view)
        #expect(next.figures.dropped == 1 && next.figures.devices == 0)
        try await next.load()
        next.note(facts("ann", of: service), in: view)
        #expect(next.figures.dropped == 1 && next.figures.devices == 1)
    }

    @Test func `after a restart the recorded devices and their texts are known`() async throws {
        let service = try await TestService()
        let start = service.clock.now()
        try note("ann", have: "news@1,shop@2", on: service)
        _ = try await rows(service)
        service.clock.advance(milliseconds: 1000)
        let next = try await service.restarted()
        #expect(next.devicesSeen.figures.devices == 1)
        try note("ann", have: "shop@2,news@1", on: next)
        #expect(try await rows(next).map(\.seenAt) == [start])
        try note("ann", have: "news@2", on: next)
        #expect(try await rows(next).map(\.have) == ["news@2"])
        #expect(next.devicesSeen.figures.devices == 1)
    }

    @Test func `a server with a limit of zero records no device, and deletes the recorded ones`() async throws {
        let service = try await TestService()
        try note("ann", on: service)
        #expect(try await rows(service).count == 1)
        let off = try await TestService(in: service.folder, store: service.store, devicesSeen: 0)
        #expect(try await rows(off).isEmpty)
        try note("ann", on: off)
        #expect(try await rows(off).isEmpty)
        #expect(off.devicesSeen.figures.dropped == 0)
    }

    @Test func `the background task writes recorded devices, also when it ends`() async throws {
        let service = try await TestService()
        let written = AsyncStream.makeStream(of: Void.self)
        service.store.setAfter(.noteSeenDevices) { () throws(PlatformError) in written.continuation.yield() }
        let loop = Task { await service.devicesSeen.run { Issue.record($0) } }
        try note("ann", on: service)
        var notes = written.stream.makeAsyncIterator()
        await notes.next()
        try note("bob", on: service)
        loop.cancel()
        await loop.value
        #expect(
            try await service.store.seenDevices(
                in: SeenChannel(app: .default, channel: .production), after: nil, upTo: 9
            ).count == 2)
    }
}
