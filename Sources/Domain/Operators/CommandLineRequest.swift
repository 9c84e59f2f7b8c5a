package import Ground

/// A command line that asks to be signed in as the user who agrees in the console (decision 0089).
package struct CommandLineRequest: Sendable, Equatable {
    package let code: CommandLineCode
    /// The digest of the secret that the command line has drawn, by which its session is known later.
    package let secretHash: SHA256Digest
    package let machine: MachineName
    package let address: String
    /// The addresses that count as one, from which the request came.
    package let addressGroup: String
    package let createdAt: Timestamp
    package let isRefused: Bool

    /// The limit on the requests of an installation; a further one removes the oldest.
    package static let maximumCount = 10_000
    /// The limit on the requests of one group of addresses; a further one removes the oldest of the group.
    package static let maximumPerAddressGroup = 100
    /// The milliseconds for which a user can agree.
    package static let lifetimeMilliseconds: Int64 = 600_000

    package init(
        code: CommandLineCode, secretHash: SHA256Digest, machine: MachineName, address: String, addressGroup: String,
        createdAt: Timestamp, isRefused: Bool = false
    ) {
        self.code = code
        self.secretHash = secretHash
        self.machine = machine
        self.address = address
        self.addressGroup = addressGroup
        self.createdAt = createdAt
        self.isRefused = isRefused
    }

    /// The first instant at which no user can agree any more.
    package var end: Timestamp { createdAt.adding(milliseconds: Self.lifetimeMilliseconds) }
}

/// The code by which a user recognizes the request of a command line: eight consonants, such as `BDFG-HJKL`.
package struct CommandLineCode: Sendable, Hashable, CustomStringConvertible {
    package static let shape = "eight of the letters \(letters), such as BDFG-HJKL"
    /// Without vowels, so that no code is a word (RFC 8628 §6.1).
    private static let letters = "BCDFGHJKLMNPQRSTVWXZ"
    private static let half = 4

    /// The letters in two groups.
    package let text: String

    /// Draws a new code.
    package init(by cryptography: any Cryptography) {
        let known = Array(Self.letters)
        // Bytes beyond the last multiple would make some letters more frequent.
        let end = UInt8(256 / known.count * known.count)
        var drawn = ""
        while drawn.count < Self.half * 2 {
            for byte in cryptography.randomBytes(Self.half * 2) where byte < end && drawn.count < Self.half * 2 {
                drawn.append(known[Int(byte) % known.count])
            }
        }
        self.init(letters: drawn)
    }

    /// Parses a code, in lower case as well and without the hyphen; fails for another text.
    package init?(_ text: String) {
        // A code has eight letters and a hyphen.
        guard text.utf8.count <= Self.half * 2 + 1 else { return nil }
        let given = text.uppercased().filter { $0 != "-" }
        guard given.count == Self.half * 2, given.allSatisfy(Self.letters.contains) else { return nil }
        self.init(letters: given)
    }

    private init(letters: String) { text = "\(letters.prefix(Self.half))-\(letters.suffix(Self.half))" }

    package var description: String { text }
}

/// The name of the machine of a command line, which the user sees before agreeing.
package struct MachineName: Sendable, Hashable, CustomStringConvertible {
    package static let shape = "1 to \(maximumLength) visible ASCII characters"
    package static let maximumLength = 64

    package let text: String

    /// Fails for a text of another shape.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}
