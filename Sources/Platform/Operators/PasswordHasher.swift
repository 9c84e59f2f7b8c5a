package import Domain
package import Execution

/// The computation of password hashes, one after the other on a thread of its own, so that its memory is bounded.
///
/// Clients take turns, and a client waits for at most one computation of each other one: the passwords of one network or
/// operator cannot keep others from signing in.
package final class PasswordHasher: Sendable {
    /// The number of computations that run or wait; past it, the newest one of the client with the most gets `busy`.
    package static let capacity = 16

    private let cryptography: any Cryptography
    private let work: WorkExecutor
    /// The cost of new hashes; hashes of another cost are replaced at sign-in.
    let cost: ScryptCost
    private let gate = FairGate<String>(width: 1, capacity: capacity - 1)

    /// - Parameter work: A pool of one thread.
    package init(cryptography: any Cryptography, work: WorkExecutor, cost: ScryptCost) {
        self.cryptography = cryptography
        self.work = work
        self.cost = cost
    }

    /// Returns a hash of a password with a new salt and the current cost.
    ///
    /// - Parameter client: The group of addresses of a client that signs in, or the operator who makes a change.
    func hash(_ password: Password, for client: String) async throws(PlatformError) -> PasswordHash {
        let (cryptography, cost) = (cryptography, cost)
        return try await run(for: client) { () throws(PlatformError) in
            let salt = cryptography.randomBytes(PasswordHash.saltBytes)
            return try PasswordHash(of: password, salt: salt, cost: cost, by: cryptography)
        }
    }

    /// Returns whether a password has a hash; without a hash it takes as long and returns `false`.
    func verify(
        _ password: Password, _ hash: PasswordHash?, for client: String
    ) async throws(PlatformError) -> Bool {
        let cryptography = cryptography
        let none = PasswordHash(hash: [], salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
        return try await run(for: client) { () throws(PlatformError) in
            try (hash ?? none).matches(password, by: cryptography)
        }
    }

    private func run<Result: Sendable>(
        for client: String, _ body: @Sendable () throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let work = work
        let result = try await gate.pass(as: client) { () async throws(PlatformError) in try await work.run(body) }
        guard let result else { throw PlatformError(.busy, "Too many people sign in at once. Try again in a moment.") }
        return result
    }
}
