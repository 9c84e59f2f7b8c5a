import Execution
import Glibc
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AsyncGateTests {
    @Test func `no more are inside at once than the width, and all come through`() async {
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

    @Test func `those who wait go in as they came, and an error leaves as well`() async {
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
        let waiting = Task.immediate { await signal.wait() }
        waiting.cancel()
        await waiting.value
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            await signal.wait()
        }
        late.cancel()
        await late.value
    }

    @Test func `a wait ends with the signal or with its time, whichever is first`() async {
        let signal = AsyncFlag()
        await signal.wait(upTo: .milliseconds(1))
        let waiting = Task.immediate { await signal.wait(upTo: .seconds(600)) }
        signal.set()
        await waiting.value
    }

    @Test func `nothing is lost under load`() async {
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

    @Test func `waits with a time lose nothing either`() async {
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

    @Test func `an error of the work is the caller's, with its type`() async {
        struct Failure: Error, Equatable {}
        let work = WorkExecutor(label: "test")
        await #expect(throws: Failure()) { try await work.run { () throws(Failure) in throw Failure() } }
    }
}
