import HTTP
import Testing

@testable import Server

struct DeliveryQueueTests {
    /// Removes slices until the queue is empty; returns the first byte of each piece with its numbers.
    private func drain(_ queue: inout DeliveryQueue, upTo count: Int) -> [(UInt8?, [UInt64])] {
        var slices: [(UInt8?, [UInt64])] = []
        while let (item, numbers) = queue.take(upTo: count) {
            guard case .piece(let piece) = item else { continue }
            slices.append((piece.bytes.first, Array(numbers)))
        }
        return slices
    }

    @Test func `a delivery is taken in slices, and the next one after it`() {
        var queue = DeliveryQueue()
        queue.append(.piece(FeedPiece([1])), to: [10, 11, 12])
        queue.append(.piece(FeedPiece([2])), to: [11, 10])
        let slices = drain(&queue, upTo: 2)
        #expect(slices.map(\.0) == [1, 1, 2])
        #expect(slices.map(\.1) == [[10, 11], [12], [11, 10]])
        #expect(queue.isEmpty)
    }

    @Test func `more deliveries than a slice keep their order`() {
        var queue = DeliveryQueue()
        let count = DeliveryQueue.slice * 3
        for number in 0..<count { queue.append(.piece(FeedPiece([UInt8(number % 251)])), to: [UInt64(number)]) }
        #expect(drain(&queue, upTo: DeliveryQueue.slice).flatMap(\.1) == (0..<UInt64(count)).map(\.self))
        #expect(queue.isEmpty)
    }

    @Test func `a delivery without receivers is not queued`() {
        var queue = DeliveryQueue()
        queue.append(.piece(FeedPiece([1])), to: [])
        #expect(queue.isEmpty)
    }

    @Test func `an exchange whose peer is being timed is still needed`() {
        let exchange = Exchange()
        #expect(exchange.isSpent)
        exchange.outputPace = OutputPace(queued: 1)
        #expect(!exchange.isSpent)
    }
}
