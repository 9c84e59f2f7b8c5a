import Foundation
import Synchronization
import TestKit

/// Clients that repeat a request, each time on a new connection, until they are stopped.
final class Crowd: Sendable {
    private struct State {
        var isStopped = false
        var right = 0
        var faults: [String] = []
        var running = 0
    }

    private let state = Mutex(State())

    /// The microseconds between a connection and its request, as in a network.
    private static let roundTrip: UInt32 = 2_000

    /// - Parameter expected: The body of every correct response.
    init(of count: Int, asking path: String, at port: UInt16, expecting expected: [UInt8]) {
        state.withLock { $0.running = count }
        for _ in 0..<count {
            Thread { [self] in
                while !state.withLock({ $0.isStopped }) {
                    let fault = Self.ask(path, at: port, expecting: expected)
                    state.withLock { state in
                        if let fault { state.faults.append(fault) } else { state.right += 1 }
                    }
                }
                state.withLock { $0.running -= 1 }
            }.start()
        }
    }

    /// The number of correct responses.
    var right: Int { state.withLock { $0.right } }

    /// Returns once there were so many more correct responses, or any other.
    func await(more count: Int) throws {
        let before = right
        try Waiting.until("\(count) responses", upTo: .seconds(120)) {
            state.withLock { $0.right >= before + count || !$0.faults.isEmpty }
        }
    }

    /// Stops the clients and returns the failures.
    func stop() throws -> [String] {
        state.withLock { $0.isStopped = true }
        try Waiting.until("the clients' end", upTo: .seconds(120)) { state.withLock { $0.running == 0 } }
        return state.withLock { $0.faults }
    }

    private static func ask(_ path: String, at port: UInt16, expecting expected: [UInt8]) -> String? {
        do {
            let client = try RawClient(port: port, patience: 60)
            usleep(roundTrip)
            let response = try client.get(path)
            return response.status == 200 && response.body == expected ? nil : "\(response.status) \(response.text)"
        } catch {
            return "\(error)"
        }
    }
}
