import Execution
import Foundation
import Glibc
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AsyncGateTests {
    @Test func `at most as many tasks as the width are inside at once, and all come through`() async {
        let gate = AsyncGate(width: 3)
        let inside = Shared((now: 0, most: 0, total: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    await gate.pass {
                        inside.change { state in
                            state.now += 1
                            state.total += 1
                            state.most = max(state.most, state.now)
                        }
                        await Task.yield()
                        inside.change { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(inside.value.most <= 3)
        #expect(inside.value.most > 1)
        #expect(inside.value.total == 500)
    }

    @Test func `waiting tasks enter first in, first out, and a task that throws leaves`() async {
        struct Failure: Error {}
        let gate = AsyncGate(width: 1)
        let order = Shared<[Int]>([])
        let isOpen = AsyncFlag()
        let holder = Task.immediate { await gate.pass { await isOpen.wait() } }
        var waiting: [Task<Void, Never>] = []
        for number in 0..<20 {
            waiting.append(
                Task.immediate {
                    try? await gate.pass { () throws(Failure) in
                        order.change { $0.append(number) }
                        throw Failure()
                    }
                })
        }
        waiting[3].cancel()
        isOpen.set()
        await holder.value
        for task in waiting { await task.value }
        #expect(order.value == Array(0..<20))
        #expect(await gate.pass { true })
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SignalTests {
    @Test func `a signal that is set already lets one wait through`() async {
        let signal = AsyncFlag()
        signal.set()
        signal.set()
        await signal.wait()
        let second = Task.immediate { await signal.wait() }
        let isOver = Shared(false)
        let watcher = Task {
            await second.value
            isOver.change { $0 = true }
        }
        await Task.yield()
        #expect(!isOver.value)
        signal.set()
        await watcher.value
    }

    @Test func `a cancelled wait returns, before and after it began`() async {
        let signal = AsyncFlag()
        let returned = Shared(0)
        let waiting = Task.immediate {
            await signal.wait()
            returned.change { $0 += 1 }
        }
        await Task.yield()
        #expect(returned.value == 0)
        waiting.cancel()
        await waiting.value
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            await signal.wait()
            returned.change { $0 += 1 }
        }
        late.cancel()
        await late.value
        #expect(returned.value == 2)
    }

    @Test func `a wait ends with the signal or with its time, whichever is first`() async {
        let signal = AsyncFlag()
        await signal.wait(upTo: .milliseconds(1))
        let isOver = Shared(false)
        let waiting = Task.immediate {
            await signal.wait(upTo: .seconds(600))
            isOver.change { $0 = true }
        }
        await Task.yield()
        #expect(!isOver.value)
        signal.set()
        await waiting.value
        #expect(isOver.value)
    }

    @Test func `no signal is lost under load`() async {
        let signal = AsyncFlag()
        let queue = Shared((produced: 0, consumed: 0))
        let total = 20_000
        let consumer = Task {
            while queue.value.consumed < total {
                await signal.wait()
                queue.change { $0.consumed = $0.produced }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<total / 4 {
                        queue.change { $0.produced += 1 }
                        signal.set()
                    }
                }
            }
        }
        await consumer.value
        #expect(queue.value.consumed == total)
    }

    @Test func `timed waits lose no signal either`() async {
        let signal = AsyncFlag()
        let queue = Shared((produced: 0, consumed: 0))
        let total = 2000
        let consumer = Task {
            while queue.value.consumed < total {
                await signal.wait(upTo: .seconds(600))
                queue.change { $0.consumed = $0.produced }
            }
        }
        for _ in 0..<total {
            queue.change { $0.produced += 1 }
            signal.set()
            await Task.yield()
        }
        await consumer.value
        #expect(queue.value.consumed == total)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct WorkExecutorTests {
    @Test func `work that blocks does not hold up other work`() async {
        let work = WorkExecutor(label: "test")
        let gate = Shared(false)
        async let blocked: Bool = work.run {
            while !gate.value { sched_yield() }
            return true
        }
        await work.run { gate.change { $0 = true } }
        #expect(await blocked)
    }

    @Test func `no more threads work at once than there may be, and all work is done`() async {
        let work = WorkExecutor(label: "test", threads: 3)
        let inside = Shared((now: 0, most: 0, total: 0))
        let threads = Shared<Set<pthread_t>>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await work.run {
                        threads.change { $0.insert(pthread_self()) }
                        inside.change { state in
                            state.now += 1
                            state.total += 1
                            state.most = max(state.most, state.now)
                        }
                        // Until all three are inside, so that the maximum is seen.
                        while inside.value.most < 3 { sched_yield() }
                        inside.change { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(inside.value.most == 3)
        #expect(inside.value.total == 200)
        #expect(threads.value.count == 3)
    }

    @Test func `work begins in the order in which it came`() async {
        let work = WorkExecutor(label: "test", threads: 1)
        let order = Shared<[Int]>([])
        let isOpen = Shared(false)
        let holder = Task.immediate { await work.run { while !isOpen.value { sched_yield() } } }
        let waiting = (0..<100).map { number in
            Task.immediate { await work.run { order.change { $0.append(number) } } }
        }
        isOpen.change { $0 = true }
        await holder.value
        for task in waiting { await task.value }
        #expect(order.value == Array(0..<100))
    }

    @Test func `work within work does not wait for itself`() async {
        let work = WorkExecutor(label: "test", threads: 1)
        let sum = await withTaskExecutorPreference(work) {
            let outer = await work.run { 1 }
            return await withTaskExecutorPreference(work) { await work.run { outer + 1 } }
        }
        #expect(sum == 2)
    }

    @Test func `threads shared out in work of which no more is to be had all come through`() async {
        let work = WorkExecutor(label: "test", threads: 1)
        let count = Shared(0)
        await work.run {
            SystemThread.perform(on: 4, named: "test") {
                count.change { $0 += 1 }
                // They are available at once, and none of them belongs to the pool.
                while count.value < 4 { sched_yield() }
            }
        }
        #expect(count.value == 4)
    }

    @Test func `tasks that prefer it go on while all threads of the runtime are busy`() async {
        let work = WorkExecutor(label: "test", threads: 1)
        let flag = AsyncFlag()
        let isOver = Shared(false)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 * WorkExecutor.threadLimit {
                group.addTask { while !isOver.value { sched_yield() } }
            }
            group.addTask(executorPreference: work) {
                await flag.wait(upTo: .milliseconds(20))
                isOver.change { $0 = true }
            }
        }
        #expect(isOver.value)
    }

    @Test func `its threads end with it`() async throws {
        let name = "test-\(UInt32.random(in: 0..<0xFFFF))"
        do {
            let work = WorkExecutor(label: name, threads: 4)
            await withTaskGroup(of: Void.self) { group in
                let barrier = Shared(0)
                for _ in 0..<4 {
                    group.addTask {
                        await work.run {
                            barrier.change { $0 += 1 }
                            while barrier.value < 4 { sched_yield() }
                        }
                    }
                }
            }
            #expect(try Self.threads(named: name) == 4)
        }
        while try Self.threads(named: name) > 0 { sched_yield() }
    }

    private static func threads(named name: String) throws -> Int {
        let tasks = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).count { task in
            (try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)) == name + "\n"
        }
    }

    @Test func `an error of the work is the caller's, with its type`() async {
        struct Failure: Error, Equatable {}
        let work = WorkExecutor(label: "test")
        await #expect(throws: Failure()) { try await work.run { () throws(Failure) in throw Failure() } }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SerialWorkExecutorTests {
    private actor Ledger {
        private let executor = SerialWorkExecutor(label: "test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private(set) var threads: Set<pthread_t> = []
        private(set) var sum = 0

        func add(_ number: Int) {
            threads.insert(pthread_self())
            let before = sum
            sched_yield()
            sum = before + number
        }
    }

    @Test func `an actor works on one thread, one call at a time`() async {
        let ledger = Ledger()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...500 { group.addTask { await ledger.add(number) } }
        }
        #expect(await ledger.sum == 125_250)
        #expect(await ledger.threads.count == 1)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct KeyedGateTests {
    @Test func `one key's tasks wait for each other, and hold up no other key`() async {
        let gate = KeyedGate<String, Int>(capacity: 1)
        let order = Shared<[String]>([])
        let isOpen = AsyncFlag()
        let holder = Task.immediate { await gate.pass("a", as: 1) { await isOpen.wait() } != nil }
        let waiting = Task.immediate { await gate.pass("a", as: 2) { order.change { $0.append("a") } } != nil }
        // Only one task may wait.
        #expect(await gate.pass("a", as: 3) { order.change { $0.append("c") } } == nil)
        #expect(await gate.pass("b", as: 1) { order.change { $0.append("b") } } != nil)
        #expect(order.value == ["b"] && gate.count == 1)
        isOpen.set()
        #expect(await holder.value)
        #expect(await waiting.value)
        #expect(order.value == ["b", "a"])
        #expect(gate.count == 0)
    }
}
