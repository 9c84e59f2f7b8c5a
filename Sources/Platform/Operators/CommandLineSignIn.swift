package import Domain
import Ground

/// The use case of signing in a command line as a user who agrees in the console (decision 0089).
package struct CommandLineSignIn: Sendable {
    /// The prefix of the secret that a command line draws, which tells it from a token.
    package static let secretPrefix = "larder_cli_"
    /// The seconds that a command line waits between two questions whether a user has agreed.
    package static let pollSeconds = 2

    private let store: any UserStore
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(store: any UserStore, cryptography: any Cryptography, clock: any WallClock) {
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// The answer to a command line that waits.
    package enum Answer: Sendable {
        case waiting
        case refused
        case agreed(Session, User)
    }

    /// Begins a request.
    ///
    /// - Parameters:
    ///   - secretHash: The digest of the secret, which the server gets only once a user has agreed.
    ///   - group: The addresses that count as one.
    package func begin(
        secretHash: SHA256Digest, on machine: MachineName, from group: String, at address: String
    ) async throws(PlatformError) -> CommandLineRequest {
        let request = CommandLineRequest(
            code: CommandLineCode(by: cryptography), secretHash: secretHash, machine: machine, address: address,
            addressGroup: group, createdAt: clock.now())
        try await store.addCommandLineRequest(request)
        return request
    }

    /// Returns what became of the request with a secret; throws `signInExpired` if there is none.
    package func answer(to secret: String) async throws(PlatformError) -> Answer {
        let (digest, now) = (cryptography.sha256(Array(secret.utf8)), clock.now())
        // Agreeing turns the request into the session, so the request is read first.
        if let request = try await store.commandLineRequest(secretHash: digest, at: now) {
            return request.isRefused ? .refused : .waiting
        }
        guard let (session, user) = try await store.session(secretHash: digest), session.machine != nil,
            session.isValid(at: now)
        else { throw Self.isOver }
        return .agreed(session, user)
    }

    /// Returns an open request that is not refused.
    ///
    /// Throws `forbidden` for a token or a command line, and `signInExpired` if there is none.
    package func request(
        _ code: CommandLineCode, for author: Operator
    ) async throws(PlatformError) -> CommandLineRequest {
        try author.requireBrowser(for: "sign in a command line")
        guard let request = try await store.commandLineRequest(code, at: clock.now()), !request.isRefused else {
            throw Self.isOver
        }
        return request
    }

    /// Signs in a command line as the author; throws the errors of ``request(_:for:)``.
    package func agree(to code: CommandLineCode, by author: Operator) async throws(PlatformError) -> Session {
        let (person, request) = (try author.requirePerson(), try await request(code, for: author))
        let audit = author.audit(
            .beginSession, person.name.text, in: nil, at: clock.now(), Self.details(of: request), change: .none)
        guard
            let session = try await store.beginSession(
                agreedBy: person.session, of: person.user, to: request, audit: audit)
        else {
            throw Self.isOver
        }
        return session
    }

    /// Refuses a request; throws the errors of ``request(_:for:)``.
    package func refuse(_ code: CommandLineCode, by author: Operator) async throws(PlatformError) {
        let (person, request) = (try author.requirePerson(), try await request(code, for: author))
        let audit = author.audit(
            .refuseCommandLine, person.name.text, in: nil, at: clock.now(), Self.details(of: request), change: .none)
        guard try await store.refuseCommandLineRequest(code, audit: audit) else { throw Self.isOver }
    }

    private static func details(of request: CommandLineRequest) -> [JSON.Member] {
        [.init("machine", .string(request.machine.text)), .init("from", .string(request.address))]
    }

    private static let isOver = PlatformError(
        .signInExpired,
        "There is no open request of a command line with this code. Codes end after 10 minutes. Run 'larder login' "
            + "again.")
}
