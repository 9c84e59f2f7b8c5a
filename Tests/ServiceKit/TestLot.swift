package import HTTP
import Synchronization

/// A lot that parks a test's waiting requests.
package final class TestLot: WaitingLot {
    private struct State {
        var last: UInt64 = 0
        var responses: [UInt64: TestResponse] = [:]
        var hops = 0
        var watchers: [UInt64: CheckedContinuation<TestResponse, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of calls that sent responses.
    package var hops: Int { state.withLock { $0.hops } }

    /// The number of responses.
    package var responseCount: Int { state.withLock { $0.responses.count } }

    package func respond(_ numbers: [UInt64], with prepared: PreparedResponse) {
        let response = TestResponse(prepared, isHead: false)
        state.withLock { state in
            state.hops += 1
            for number in numbers {
                if state.responses[number] == nil { state.responses[number] = response }
                state.watchers.removeValue(forKey: number)?.resume(returning: response)
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

    func response(to number: UInt64) -> TestResponse? { state.withLock { $0.responses[number] } }

    func waitForResponse(to number: UInt64) async -> TestResponse {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if let response = state.responses[number] {
                    continuation.resume(returning: response)
                } else {
                    state.watchers[number] = continuation
                }
            }
        }
    }
}
