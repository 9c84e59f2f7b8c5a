package import Domain
package import Execution

/// The computation of password hashes, one after the other on a thread of its own, so that its memory is bounded.
package final class PasswordHasher: Sendable {
    /// The number of computations that run or wait; a further one gets `busy`.
    package static let capacity = 16

    private let cryptography: any Cryptography
    private let work: WorkExecutor
    /// The cost of new hashes; hashes of another cost are replaced at sign-in.
    let cost: ScryptCost
    private let limit = SignInLimit(capacity)

    /// - Parameter work: A pool of one thread.
    package init(cryptography: any Cryptography, work: WorkExecutor, cost: ScryptCost) {
        self.cryptography = cryptography
        self.work = work
        self.cost = cost
    }

    /// Returns a hash of a password with a new salt and the current cost.
    func hash(_ password: Password) async throws(PlatformError) -> PasswordHash {
        let (cryptography, cost) = (cryptography, cost)
        return try await run { () throws(PlatformError) in
            let salt = cryptography.randomBytes(PasswordHash.saltBytes)
            return try PasswordHash(of: password, salt: salt, cost: cost, by: cryptography)
        }
    }

    /// Returns whether a password has a hash; without a hash it takes as long and returns `false`.
    func verify(_ password: Password, _ hash: PasswordHash?) async throws(PlatformError) -> Bool {
        let cryptography = cryptography
        let none = PasswordHash(hash: [], salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
        return try await run { () throws(PlatformError) in
            try (hash ?? none).matches(password, by: cryptography)
        }
    }

    private func run<Result: Sendable>(
        _ body: @Sendable () throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let work = work
        return try await limit.run { () async throws(PlatformError) in try await work.run(body) }
    }
}
