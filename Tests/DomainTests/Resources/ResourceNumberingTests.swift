import Domain
import TestKit
import Testing

/// The numbers of one resource, by the digests of the current and the coming version, one step after the other.
struct ResourceNumberingTests {
    private struct Channel {
        var known: [ResourceNumber] = []

        mutating func step(_ current: UInt8?, then coming: UInt8? = nil) throws -> [Int64?] {
            let id = try #require(ResourceID("app.js"))
            var numbering = ResourceNumbering(known: known.shuffled())
            func digests(_ byte: UInt8?) throws -> [ResourceID: SHA256Digest] {
                try byte.map { [id: try Sample.digest($0)] } ?? [:]
            }
            let now = numbering.assignCurrent(try digests(current))
            let next = numbering.assignComing(try digests(coming))
            for number in numbering.changed {
                known.removeAll { old in
                    // A number never means two contents.
                    if old.number == number.number { #expect(old.digest == number.digest) }
                    return old.number == number.number
                }
                known.append(number)
            }
            return [now[id], next[id]]
        }
    }

    @Test func `the first number is 1, and the same content keeps it`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(1, then: 1) == [1, 1])
        #expect(channel.known.count == 1)
    }

    @Test func `a coming content keeps its number when it becomes current`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(2) == [2, nil])
        #expect(try channel.step(2) == [2, nil])
    }

    @Test func `a content that comes back has a number of its own`() throws {
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

    @Test func `a hotfix with the content of the scheduled release takes its number`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(2, then: 2) == [2, 2])
    }

    @Test func `the end of a release goes on counting`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(2, then: 3) == [2, 3])
        // Halted: the one before is current again, and below the same scheduled one.
        #expect(try channel.step(1, then: 3) == [4, 5])
    }

    @Test func `a coming content that was given up never takes a lower number`() throws {
        var channel = Channel()
        #expect(try channel.step(1, then: 2) == [1, 2])
        #expect(try channel.step(1, then: 3) == [1, 3])
        #expect(try channel.step(1, then: 2) == [1, 4])
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(4) == [5, nil])
    }

    @Test func `what was dropped and comes back goes on from what was told`() throws {
        var channel = Channel()
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(nil) == [nil, nil])
        #expect(try channel.step(1) == [1, nil])
        #expect(try channel.step(nil, then: 2) == [nil, 2])
        #expect(try channel.step(2) == [2, nil])
    }

    @Test(arguments: 0..<50)
    func `whatever happens, the current number grows with every change and the coming one is never lower`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        var channel = Channel()
        var (last, lastContent): (Int64, UInt8) = (0, 0)
        for _ in 0..<60 {
            let current = UInt8.random(in: 1...4, using: &dice)
            let coming = Bool.random(using: &dice) ? UInt8.random(in: 1...4, using: &dice) : nil
            let numbers = try channel.step(current, then: coming)
            let now = try #require(numbers[0])
            #expect(current == lastContent ? now == last : now > last)
            if let coming {
                let next = try #require(numbers[1])
                #expect(coming == current ? next == now : next > now)
            }
            (last, lastContent) = (now, current)
        }
    }
}
