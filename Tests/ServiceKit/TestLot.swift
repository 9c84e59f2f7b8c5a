package import HTTP
import Synchronization

/// A lot that parks a test's waiting requests.
package final class TestLot: WaitingLot {
    private struct State {
        var last: UInt64 = 0
        var responses: [UInt64: TestResponse] = [:]
        var hops = 0
        var pieces: [UInt64: [UInt8]] = [:]
        var ended: Set<UInt64> = []
        var polls: [UInt64: any Waiting] = [:]
        var feeds: [UInt64: any Feed] = [:]
        var stalled: Set<UInt64> = []
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
        let ended = state.withLock { state in
            state.hops += 1
            for number in numbers {
                if state.responses[number] == nil { state.responses[number] = response }
                state.watchers.removeValue(forKey: number)?.resume(returning: response)
            }
            return numbers.compactMap { state.polls.removeValue(forKey: $0) }
        }
        for poll in ended { poll.didEnd() }
    }

    package func send(_ piece: [UInt8], to numbers: [UInt64]) {
        let takers = state.withLock { state in
            state.hops += 1
            for number in numbers { state.pieces[number, default: []] += piece }
            return numbers.filter { !state.stalled.contains($0) }.compactMap { state.feeds[$0] }
        }
        for feed in takers { feed.didSend() }
    }

    package func finish(_ numbers: [UInt64]) {
        let ended = state.withLock { state in
            state.ended.formUnion(numbers)
            return numbers.compactMap { state.feeds.removeValue(forKey: $0) }
        }
        for feed in ended { feed.didEnd() }
    }

    /// Begins a wait; returns the response if it is over already.
    func begin(_ waiting: any Waiting, _ ticket: WaitTicket) -> Response? {
        state.withLock { $0.polls[ticket.number] = waiting }
        guard let response = waiting.begin(ticket) else { return nil }
        leave(ticket.number)
        return response
    }

    /// Ends a wait at its deadline, and returns the response.
    func expire(_ waiting: any Waiting, _ number: UInt64) -> Response {
        defer { leave(number) }
        return waiting.expire()
    }

    /// Opens a stream, and returns its first piece.
    func open(_ feed: any Feed, _ number: UInt64) -> [UInt8] {
        state.withLock { $0.feeds[number] = feed }
        let first = feed.begin(WaitTicket(lot: self, number: number))
        feed.didSend()
        return first
    }

    /// Ends a wait or a stream whose client has disconnected.
    func leave(_ number: UInt64) {
        let (poll, feed) = state.withLock { state in
            (state.polls.removeValue(forKey: number), state.feeds.removeValue(forKey: number))
        }
        poll?.didEnd()
        feed?.didEnd()
    }

    /// Stops or continues to take what is sent to a stream.
    func stall(_ number: UInt64, _ isStalled: Bool) {
        let feed = state.withLock { state in
            if isStalled { state.stalled.insert(number) } else { state.stalled.remove(number) }
            return isStalled ? nil : state.feeds[number]
        }
        feed?.didSend()
    }

    func pieces(of number: UInt64) -> [UInt8] { state.withLock { $0.pieces[number] ?? [] } }

    func hasEnded(_ number: UInt64) -> Bool { state.withLock { $0.ended.contains(number) } }

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
