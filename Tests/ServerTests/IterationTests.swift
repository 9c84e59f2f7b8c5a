import HTTP
import TestKit
import Testing

@testable import Server

private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

/// Tests the share of a connection in one iteration of its loop.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct IterationTests {
    /// The bytes that an iteration sends, and the maximum excess of the last response.
    private static let share = 2 << 20

    @Test(arguments: [8 << 10, 64 << 10, 8 << 20], [true, false])
    func `a connection gets its share of an iteration, for any number of responses`(size: Int, isFile: Bool) throws {
        let file = PatternFile(zeroes: size)
        let prepared = PreparedResponse(.ok, fields: [:], body: [UInt8](repeating: 0, count: size))
        let still = try StillLoop { _ in
            isFile ? .respond(Response(.ok, body: .file(file.region(size)))) : .prepared(prepared)
        }
        try still.client.send(String(repeating: request, count: (24 << 20) / size))
        still.awaitInput()
        func takenInIteration() -> Int {
            still.loop.iterations += 1
            var taken = 0
            // The client takes everything at once, so that only the end of the iteration pauses the responses.
            while true {
                still.go()
                let count = still.client.takeWhatIsThere()
                if count == 0 { return taken }
                taken += count
            }
        }
        let mostOfOne = isFile ? 0 : size
        for _ in 0..<3 {
            let taken = takenInIteration()
            #expect(taken >= Self.share)
            #expect(taken <= Self.share + mostOfOne + (128 << 10))
            #expect(still.loop.unfinished.count == 1)
        }
    }

    @Test func `lines of connections that a drain cuts off are with the log before it ends`() throws {
        let log = RecordedLines()
        let still = try StillLoop(accessLog: log) { _ in .handle(bodyLimit: 0) { _ in Response(.ok) } }
        try still.client.send(request)
        still.awaitInput()
        still.go()
        #expect(still.connection.phase == .handling)
        still.loop.drain()
        still.loop.finishDraining()
        #expect(log.all.isEmpty)
        still.loop.cutOff()
        still.loop.finishDraining()
        #expect(log.all.map(\.isWhole) == [false])
        #expect(still.loop.spawner.isFinished)
    }

    @Test func `a connection is queued once for its next iteration, however often it is asked to`() throws {
        let file = PatternFile(zeroes: 64 << 20)
        let still = try StillLoop { _ in .respond(Response(.ok, body: .file(file.region(64 << 20)))) }
        try still.client.send(request)
        still.awaitInput()
        for _ in 0..<5 {
            still.loop.iterations += 1
            for _ in 0..<10 {
                still.go()
                while still.client.takeWhatIsThere() > 0 {}
            }
            #expect(still.loop.unfinished.count == 1)
        }
    }
}
