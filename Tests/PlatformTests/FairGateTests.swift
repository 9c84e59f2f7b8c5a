import Execution
import Synchronization
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FairGateTests {
    /// A record of events in order.
    private final class Record: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ text: String) { list.withLock { $0.append(text) } }
    }

    /// Lets these keys arrive while one task is inside; returns the order of execution and the rejected tasks.
    private func run(
        _ keys: [String], capacity: Int
    ) async -> (order: [String], refused: [Int]) {
        let gate = FairGate<String>(width: 1, capacity: capacity)
        let (record, door) = (Record(), Door())
        let inside = Task.immediate { await gate.pass(as: "inside") { await door.pass() } }
        let tasks = keys.map { key in
            Task.immediate { await gate.pass(as: key) { record.add(key) } != nil }
        }
        door.open()
        _ = await inside.value
        var refused: [Int] = []
        for (index, task) in tasks.enumerated() where await !task.value { refused.append(index) }
        return (record.all, refused)
    }

    @Test func `keys are served in rotation, and tasks of one key in their order`() async {
        let outcome = await run(["a", "a", "a", "a", "b", "c", "b"], capacity: 100)
        #expect(outcome.order == ["a", "b", "c", "a", "b", "a", "a"])
        #expect(outcome.refused.isEmpty)
    }

    @Test func `as many tasks wait as the limit allows, then the last one of the longest queue is refused`() async {
        let edge = await run(["a", "a", "a", "b"], capacity: 4)
        #expect(edge.refused.isEmpty)
        // The fourth task of a, because b has one.
        let past = await run(["a", "a", "a", "a", "b"], capacity: 4)
        #expect(past.refused == [3] && past.order == ["a", "b", "a", "a"])
        // Of equally long queues, the last one.
        let even = await run(["a", "b", "c"], capacity: 2)
        #expect(even.refused == [2] && even.order == ["a", "b"])
    }

    @Test func `a gate of width 3 admits three tasks at once`() async {
        let gate = FairGate<Int>(width: 3, capacity: 100)
        let door = Door()
        let tasks = (0..<50).map { number in
            Task.immediate { await gate.pass(as: number % 7) { await door.pass() } != nil }
        }
        #expect(door.held == 3)
        door.open()
        for task in tasks { #expect(await task.value) }
    }

    @Test func `a task that throws leaves the gate`() async throws {
        struct Failure: Error {}
        let gate = FairGate<Int>(width: 1, capacity: 0)
        for _ in 0..<3 {
            await #expect(throws: Failure.self) { try await gate.pass(as: 1) { () throws(Failure) in throw Failure() } }
        }
        #expect(await gate.pass(as: 1) { true } == true)
    }
}
