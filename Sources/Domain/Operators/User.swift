package import Ground

/// The number of a user, which no other user ever has.
package struct UserID: Sendable, Hashable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package var description: String { "#\(value)" }
}

/// The name of a user, which stays: 1 to 64 lower-case letters, digits and `._@+-`, beginning with a letter or digit.
package struct UserName: Sendable, Hashable, CustomStringConvertible {
    package static let shape =
        "1 to \(maximumLength) lower-case letters, digits and . _ @ + -, beginning with a letter or digit"
    package static let maximumLength = 64

    package let text: String

    /// Fails for a text of another shape.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        func isPlain(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || ASCII.isLower(byte) }
        guard (1...Self.maximumLength).contains(bytes.count), isPlain(bytes[0]),
            bytes.allSatisfy({ isPlain($0) || "._@+-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// A person who operates the server (decision 0080).
package struct User: Sendable, Equatable {
    package let id: UserID
    package let name: UserName
    package let grants: [Grant]
    /// Whether the user may not sign in.
    package let isDisabled: Bool
    /// Whether signing in needs a code besides the password.
    package let hasSecondFactor: Bool
    /// The provider by which the user signs in, which may be deleted; `nil` for a user with a password.
    package let provider: SignInProviderName?
    package let createdAt: Timestamp
    package let signedInAt: Timestamp?
    /// The number of changes by operators, beginning with 1.
    package let revision: Int64

    package init(
        id: UserID, name: UserName, grants: [Grant], isDisabled: Bool, hasSecondFactor: Bool,
        provider: SignInProviderName?, createdAt: Timestamp, signedInAt: Timestamp?, revision: Int64
    ) {
        self.id = id
        self.name = name
        self.grants = grants
        self.isDisabled = isDisabled
        self.hasSecondFactor = hasSecondFactor
        self.provider = provider
        self.createdAt = createdAt
        self.signedInAt = signedInAt
        self.revision = revision
    }

    /// The name in the audit log.
    package var actor: String { "\(name) (user \(id))" }

    /// The limit on the number of grants of a user.
    package static let maximumGrants = 50
    /// The limit on the number of users.
    package static let maximumCount = 1_000
}

/// The secrets by which a user signs in.
package struct UserSecrets: Sendable, Equatable {
    package var password: PasswordHash
    /// The second factor; `nil` without one.
    package var secondFactor: SecondFactor?

    package init(password: PasswordHash, secondFactor: SecondFactor? = nil) {
        self.password = password
        self.secondFactor = secondFactor
    }
}

/// A change to a user by an operator or by the user; `nil` keeps a value.
package struct UserChange: Sendable {
    package var grants: [Grant]?
    package var isDisabled: Bool?
    package var password: PasswordHash?
    /// The hash of the password that the change was permitted by; `nil` if it needs none.
    package var verified: PasswordHash?
    /// The second factor, or `.some(nil)` to remove it.
    package var secondFactor: SecondFactor??
    /// The sessions that end.
    package var ending: Ending

    package enum Ending: Sendable, Equatable {
        case none
        case all
        case allExcept(Int64)
    }

    package init(
        grants: [Grant]? = nil, isDisabled: Bool? = nil, password: PasswordHash? = nil,
        verified: PasswordHash? = nil, secondFactor: SecondFactor?? = nil, ending: Ending
    ) {
        self.verified = verified
        self.grants = grants
        self.isDisabled = isDisabled
        self.password = password
        self.secondFactor = secondFactor
        self.ending = ending
    }
}

/// A time in which a user is signed in.
package struct Session: Sendable, Equatable {
    package let id: Int64
    package let user: UserID
    package let createdAt: Timestamp
    /// The latest known use, which may be some minutes late.
    package let usedAt: Timestamp
    /// The address at sign-in.
    package let address: String
    /// The machine of a command line; `nil` for a browser.
    package let machine: MachineName?

    package init(
        id: Int64, user: UserID, createdAt: Timestamp, usedAt: Timestamp, address: String, machine: MachineName? = nil
    ) {
        self.id = id
        self.user = user
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.address = address
        self.machine = machine
    }

    /// The times after which a session ends.
    package struct Lifetime: Sendable {
        /// The milliseconds after the latest use.
        package let idleMilliseconds: Int64
        /// The milliseconds after sign-in.
        package let longestMilliseconds: Int64

        package static let browser = Lifetime(idleMilliseconds: 12 * 3_600_000, longestMilliseconds: 7 * 86_400_000)
        /// A terminal may pause for days, and ends as a browser does: a person who has left keeps the session until then.
        package static let commandLine = Lifetime(
            idleMilliseconds: browser.longestMilliseconds, longestMilliseconds: browser.longestMilliseconds)
    }

    private var lifetime: Lifetime { machine == nil ? .browser : .commandLine }

    /// The number of sessions of a user; a further one ends the oldest.
    package static let maximumPerUser = 20

    /// The time at which the session ends if it is not used.
    package var idleEnd: Timestamp { min(usedAt.adding(milliseconds: lifetime.idleMilliseconds), end) }
    /// The time at which the session ends in any case.
    package var end: Timestamp { createdAt.adding(milliseconds: lifetime.longestMilliseconds) }

    package func isValid(at now: Timestamp) -> Bool { now < idleEnd }
}

/// An operator's identity, to which uploads, keys of requests, streams and limits belong.
package enum Principal: Sendable, Hashable {
    case token(Int64)
    case user(UserID)

    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[1]) else { return nil }
        switch parts[0] {
        case "token": self = .token(number)
        case "user": self = .user(UserID(number))
        default: return nil
        }
    }

    /// The identity as text: `token:2` or `user:3`.
    package var text: String {
        switch self {
        case .token(let id): "token:\(id)"
        case .user(let id): "user:\(id.value)"
        }
    }
}
