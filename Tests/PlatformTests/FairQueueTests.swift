import Synchronization
import TestKit
import Testing

@testable import Execution

struct FairScheduleTests {
    private typealias Schedule = FairSchedule<String, String, String>

    /// Adds waiters that are named after their key and item; returns the rejected ones.
    private func add(_ names: [String], to schedule: inout Schedule) -> [String] {
        names.flatMap { name in
            let parts = name.split(separator: "/").map(String.init)
            return schedule.add(name, for: parts[1], as: parts[0])
        }
    }

    /// Starts and finishes everything, one after the other; returns the leaders in order.
    private func run(_ schedule: inout Schedule) -> [String] {
        var order: [String] = []
        while true {
            let starts = schedule.start()
            guard !starts.isEmpty else { return order }
            order += starts
            for name in starts { _ = schedule.finish(String(name.split(separator: "/")[1])) }
        }
    }

    @Test func `keys start their items in rotation`() {
        var schedule = Schedule(width: 1, widthOfKey: 1, capacity: 100)
        let rejected = add(["a/1", "a/2", "a/3", "b/4", "c/5", "b/6"], to: &schedule)
        let order = run(&schedule)
        #expect(rejected.isEmpty && order == ["a/1", "b/4", "c/5", "a/2", "b/6", "a/3"])
    }

    @Test func `a key has a limited number of items in work, and others start beside it`() {
        var schedule = Schedule(width: 3, widthOfKey: 2, capacity: 100)
        _ = add(["a/1", "a/2", "a/3"], to: &schedule)
        let first = schedule.start()
        #expect(first == ["a/1", "a/2"])
        _ = add(["b/4"], to: &schedule)
        let second = schedule.start()
        #expect(second == ["b/4"])
        let none = (schedule.finish("4"), schedule.start())
        #expect(none.0.isEmpty && none.1.isEmpty)
        let others = schedule.finish("1")
        let third = schedule.start()
        #expect(others.isEmpty && third == ["a/3"])
    }

    @Test func `an item starts when the first of its keys is next, and once`() {
        var schedule = Schedule(width: 1, widthOfKey: 1, capacity: 100)
        _ = add(["a/1", "a/2", "a/3", "b/3"], to: &schedule)
        let first = schedule.start()
        _ = schedule.finish("1")
        let second = schedule.start()
        #expect(first == ["a/1"] && second == ["b/3"])
        // Joins the work.
        _ = add(["c/3"], to: &schedule)
        let others = schedule.finish("3")
        #expect(others == ["a/3", "c/3"])
        let rest = run(&schedule)
        #expect(rest == ["a/2"])
    }

    /// Returns a schedule whose only slot is taken by the item 0.
    private func occupied(capacity: Int) -> Schedule {
        var schedule = Schedule(width: 1, widthOfKey: 1, capacity: capacity)
        _ = add(["z/0"], to: &schedule)
        _ = schedule.start()
        return schedule
    }

    @Test func `as many positions are taken as the capacity, then the newest of the longest line is rejected`() {
        var schedule = occupied(capacity: 4)
        let none = add(["a/1", "a/2", "a/3", "b/4"], to: &schedule)
        #expect(none.isEmpty)
        let newest = add(["a/5"], to: &schedule)
        #expect(newest == ["a/5"])
        let other = add(["c/6"], to: &schedule)
        #expect(other == ["a/3"])
        _ = schedule.finish("0")
        let order = run(&schedule)
        #expect(order == ["a/1", "b/4", "c/6", "a/2"])
    }

    @Test func `a full queue admits further waiters for its items`() {
        var schedule = occupied(capacity: 2)
        let rejected = add(["a/1", "b/2", "c/1", "d/2", "a/1"], to: &schedule)
        #expect(rejected.isEmpty)
        let past = add(["c/3"], to: &schedule)
        #expect(past == ["c/3"])
        _ = schedule.finish("0")
        let first = schedule.start()
        let others = schedule.finish("1")
        #expect(first == ["a/1"] && others == ["c/1", "a/1"])
    }

    @Test func `a rejected position leaves the waiters of other positions`() {
        var schedule = occupied(capacity: 4)
        _ = add(["a/1", "a/2", "b/3", "a/3"], to: &schedule)
        let rejected = add(["c/4"], to: &schedule)
        #expect(rejected == ["a/3"])
        _ = schedule.finish("0")
        let order = run(&schedule)
        #expect(order == ["a/1", "b/3", "c/4", "a/2"])
    }
}

@Suite(.timeLimit(.minutes(5)))
struct FairQueueTests {
    @Test func `concurrent tasks for one item share one outcome, and a later task gets a new one`() async {
        let queue = FairQueue<Int, String, Int>(width: 2, widthOfKey: 2, capacity: 0)
        let (door, runs) = (Door(), Counter())
        let tasks = (0..<10).map { key in
            Task.immediate {
                await queue.outcome(of: "x", as: key) {
                    runs.increment()
                    await door.pass()
                    return runs.value
                }
            }
        }
        #expect(door.held == 1)
        door.open()
        for task in tasks { #expect(await task.value == 1) }
        #expect(await queue.outcome(of: "x", as: 1) { 7 } == 7)
    }

    @Test func `a task past the capacity gets no outcome`() async {
        let queue = FairQueue<Int, String, Int>(width: 1, widthOfKey: 1, capacity: 1)
        let door = Door()
        let tasks = ["x", "y", "z"].map { item in
            Task.immediate {
                await queue.outcome(of: item, as: 1) {
                    await door.pass()
                    return 1
                }
            }
        }
        door.open()
        #expect(await tasks[0].value == 1)
        #expect(await tasks[1].value == 1)
        #expect(await tasks[2].value == nil)
    }
}
