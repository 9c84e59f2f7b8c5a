import Domain
import Ground
import HTTP
import Transport

/// Repetitions of calls whose response was lost.
extension OperatorsClient {
    /// The number of attempts after lost connections.
    package static let lostAttempts = 4

    /// Returns whether the route of a call accepts an `Idempotency-Key`; pruning may be repeated without one.
    static func takesKey(_ method: Method, _ path: String) -> Bool {
        method == .delete
            || (method == .post || method == .patch)
                && !["/command-line", "/prune", "/uploads", "/users"].contains { path.hasPrefix($0) }
    }

    /// Returns a random key for one request.
    static func newKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Runs a call, and repeats it with a growing wait while its response is lost or its first request is in progress.
    ///
    /// - Parameter isRepeated: Whether the call is repeated at all.
    func persistently<Result>(
        _ isRepeated: Bool, _ call: () throws(OperatorsError) -> Result
    ) throws(OperatorsError) -> Result {
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        for _ in 1..<Self.lostAttempts where isRepeated {
            do throws(OperatorsError) { return try call() } catch {
                guard error.meansLostResponse else { throw error }
                clock.sleep(for: backoff.next(using: &generator))
            }
        }
        return try call()
    }
}

extension OperatorsError {
    /// Whether the request may have been carried out, and sending it again is safe and may succeed.
    fileprivate var meansLostResponse: Bool {
        switch self {
        case .transport(.connectionEnded): true
        case .refused(let problem): problem.code == PlatformError.Code.idempotencyKeyInUse.rawValue
        case .transport, .malformedResponse: false
        }
    }
}
