import Domain
import TestKit
import Testing

/// Tests the numbers of one resource by the digests of the current and the coming version, step by step.
struct ResourceNumberingTests {
    private struct Channel {
        var known: [ResourceNumber] = []

        mutating func step(
            _ current: UInt8?, then coming: UInt8? = nil, on channel: ChannelName = .production
        ) throws -> [Int64?] {
            let id = try #require(ResourceID("app.js"))
            var numbering = ResourceNumbering(known: known.shuffled(), on: channel)
            func digests(_ byte: UInt8?) throws -> [ResourceID: SHA256Digest] {
                try byte.map { [id: try Sample.digest($0)] } ?? [:]
            }
            let now = numbering.assignCurrent(try digests(current))
            let next = numbering.assignComing(try digests(coming))
            for number in numbering.changed {
                #expect(number.channel == channel)
                known.removeAll { old in
                    guard old.number == number.number, old.channel == channel else { return false }
                    #expect(old.digest == number.digest)
                    return true
                }
                known.append(number)
            }
            return [now[id], next[id]]
        }

        /// Adds a number as an earlier version of Larder, which counted by channel, stored it.
        mutating func leave(_ number: Int64, _ content: UInt8, on channel: ChannelName) throws {
            known.append(
                ResourceNumber(
                    id: try #require(ResourceID("app.js")), channel: channel, number: number,
                    digest: try Sample.digest(content), wasCurrent: true))
        }

        /// The contents of each number.
        var meanings: [Int64: Set<SHA256Digest>] {
            Dictionary(known.map { ($0.number, [$0.digest]) }) { $0.union($1) }
        }
    }

    private static let channels = [ChannelName.production] + ["beta", "canary"].compactMap { ChannelName($0) }

    @Test func `the first number is 1, and the same content keeps it`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(1, then: 1) == [1, 1])
        #expect(channel.known.count == 1)
    }

    @Test func `a scheduled content keeps its number when it becomes current`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(2) == [2, nil])
        #expect(try channel.step(2) == [2, nil])
    }

    @Test func `a content that comes back gets a new number`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(2) == [2, nil])
        #expect(try channel.step(1) == [3, nil])
        #expect(try channel.step(2, then: 1) == [4, 5])
        #expect(try channel.step(1) == [5, nil])
    }

    @Test func `a hotfix below a scheduled release renumbers that one`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(3, then: 2) == [3, 4])
        #expect(try channel.step(2) == [4, nil])
    }

    @Test func `a hotfix with the content of the scheduled release gets its number`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(2, then: 2) == [2, 2])
    }

    @Test func `the end of a release increases the number`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(2, then: 3) == [2, 3])
        // Halted: the former version is current again, with the same scheduled one.
        #expect(try channel.step(1, then: 3) == [4, 5])
    }

    @Test func `a scheduled content that was cancelled never gets a lower number`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(1, then: 3) == [1, 3])
        #expect(try channel.step(1, then: 2) == [1, 4])
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(4) == [5, nil])
    }

    @Test func `a resource that was dropped and comes back continues from its last number`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(nil) == [nil, nil])
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(nil, then: 2) == [nil, 2])
        #expect(try channel.step(2) == [2, nil])
    }

    @Test func `a content has the number that it has on another channel, if that is the highest`() throws {
        var package = Channel()
        let beta = Self.channels[1]
        #expect(try package.step(1) == [1, nil])
        #expect(try package.step(1, then: 2, on: beta) == [1, 2])
        #expect(try package.step(2) == [2, nil])
        #expect(try package.step(3, on: beta) == [3, nil])
        // Lower than on beta, and higher than before on production: a tester who switches is not taken back.
        #expect(try package.step(4) == [4, nil])
        #expect(try package.step(3) == [5, nil])
    }

    @Test func `contents that come on two channels keep their numbers`() throws {
        var package = Channel()
        let beta = Self.channels[1]
        _ = try package.step(1)
        _ = try package.step(1, on: beta)
        for _ in 0..<3 {
            #expect(try package.step(1, then: 2) == [1, 2])
            #expect(try package.step(1, then: 3, on: beta) == [1, 3])
        }
    }

    @Test func `a number that meant two contents continues in production, and other channels replace it`() throws {
        var package = Channel()
        let (beta, canary) = (Self.channels[1], Self.channels[2])
        try package.leave(1, 1, on: .production)
        try package.leave(2, 2, on: .production)
        try package.leave(1, 1, on: beta)
        try package.leave(2, 3, on: beta)
        try package.leave(3, 4, on: canary)
        #expect(try package.step(2) == [2, nil])
        #expect(try package.step(3, on: beta) == [4, nil])
        #expect(try package.step(4, on: canary) == [3, nil])
        // Once more, as after each start.
        #expect(try package.step(2) == [2, nil] && package.step(3, on: beta) == [4, nil])
        let id = try #require(ResourceID("app.js"))
        func currentNumber(_ content: UInt8, on channel: ChannelName) throws -> Int64? {
            ResourceNumbering.current([id: try Sample.digest(content)], known: package.known, on: channel)[id]
        }
        #expect(
            try currentNumber(2, on: .production) == 2 && currentNumber(3, on: beta) == 4
                && currentNumber(1, on: beta) == 1)
        #expect(try currentNumber(2, on: beta) == nil)
    }

    @Test func `a channel whose last number meant two contents never goes back to a lower one`() throws {
        var package = Channel()
        let beta = Self.channels[1]
        try package.leave(1, 1, on: beta)
        try package.leave(2, 2, on: beta)
        try package.leave(2, 3, on: .production)
        #expect(try package.step(1, on: beta) == [3, nil])
    }

    @Test(arguments: 0..<50)
    func `the current number grows with every change, and the scheduled one is never lower`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        var package = Channel()
        var last: [ChannelName: (number: Int64, content: UInt8)] = [:]
        for _ in 0..<90 {
            let channel = Self.channels.randomElement(using: &dice) ?? .production
            let current = UInt8.random(in: 1...4, using: &dice)
            let coming = Bool.random(using: &dice) ? UInt8.random(in: 1...4, using: &dice) : nil
            let numbers = try package.step(current, then: coming, on: channel)
            let now = try #require(numbers[0])
            let before = last[channel] ?? (0, 0)
            #expect(current == before.content ? now == before.number : now > before.number)
            if let coming {
                let next = try #require(numbers[1])
                #expect(coming == current ? next == now : next > now)
            }
            #expect(package.meanings.values.allSatisfy { $0.count == 1 })
            last[channel] = (now, current)
        }
    }
}
