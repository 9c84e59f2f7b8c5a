package import HTTP
import Synchronization

/// A lot that parks a test's waiting requests.
package final class TestLot: WaitingLot {
    private struct State {
        var last: UInt64 = 0
        var answers: [UInt64: TestAnswer] = [:]
        var hops = 0
        var watchers: [UInt64: CheckedContinuation<TestAnswer, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of calls that sent responses.
    package var hops: Int { state.withLock { $0.hops } }

    /// The number of responses.
    package var answerCount: Int { state.withLock { $0.answers.count } }

    package func respond(_ numbers: [UInt64], with response: PreparedResponse) {
        let answer = TestAnswer(response, isHead: false)
        state.withLock { state in
            state.hops += 1
            for number in numbers {
                if state.answers[number] == nil { state.answers[number] = answer }
                state.watchers.removeValue(forKey: number)?.resume(returning: answer)
            }
        }
    }

    func park() -> WaitTicket {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return WaitTicket(lot: self, number: number)
    }

    func answer(to number: UInt64) -> TestAnswer? { state.withLock { $0.answers[number] } }

    func waitForAnswer(to number: UInt64) async -> TestAnswer {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if let answer = state.answers[number] {
                    continuation.resume(returning: answer)
                } else {
                    state.watchers[number] = continuation
                }
            }
        }
    }
}
