import Domain
import Synchronization

/// The number of sign-ins that are in progress at once, and its limit.
final class SignInLimit: Sendable {
    private let capacity: Int
    private let count = Mutex(0)

    init(_ capacity: Int) {
        self.capacity = capacity
    }

    /// Runs `body`; throws `busy` without running it if as many as the limit run already.
    func run<Result: Sendable>(
        _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let isAdmitted = count.withLock { count in
            guard count < capacity else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw PlatformError(.busy, "Too many people sign in at once. Try again in a moment.") }
        defer { count.withLock { $0 -= 1 } }
        return try await body()
    }
}
