package import Domain

/// The keys of an app that a verified `/keys.json` names (semantics.md §6).
package struct TrustedKeys: Sendable {
    package let app: AppID
    package let number: Int64
    /// The SHA-256 of the root key, in hex.
    package let rootFingerprint: String
    /// Those of the root keys that have led to this one and were not known as such, the first one first.
    package let formerRoots: [String]
    private let signing: [KeyID: [UInt8]]

    /// What is known before the document is read.
    package struct Expectation: Sendable {
        /// What the command line demands.
        package var pinnedRoot: String?
        /// What an earlier sync remembered.
        package var rememberedRoot: String?
        /// Those that have led to the remembered one.
        package var formerRoots: [String]
        /// Of documents under the remembered one, as is the number: those of another root key may be anything.
        package var app: String?
        package var seenNumber: Int64?

        package init(
            pinnedRoot: String? = nil, rememberedRoot: String? = nil, formerRoots: [String] = [], app: String? = nil,
            seenNumber: Int64? = nil
        ) {
            self.pinnedRoot = pinnedRoot
            self.rememberedRoot = rememberedRoot
            self.formerRoots = formerRoots
            self.app = app
            self.seenNumber = seenNumber
        }
    }

    /// Verifies an answer of `/keys.json`.
    ///
    /// Without a pinned or remembered root key, the one that signed it is trusted; with one, those as well that it has
    /// signed the way to. No pin leads back to one that has led to the remembered one.
    ///
    /// - Parameter now: The later of the server's time and this machine's.
    package init(
        _ answer: [UInt8], expecting expectation: Expectation, at now: Timestamp, by cryptography: any Cryptography
    ) throws(KeyRefusal) {
        guard let outer = JSON(parsing: answer), let signed = outer["signed"]?.string.flatMap(Base64.decode) else {
            throw .malformed("there is no signed document in it")
        }
        guard let document = JSON(parsing: signed), let app = document["app"]?.string.flatMap(AppID.init),
            let number = document["number"]?.integer,
            let expires = document["expires"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let root = document["root"]?["publicKey"]?.string.flatMap(Base64.decode)
        else { throw .malformed("the signed document lacks a member") }
        let fingerprint = cryptography.sha256(root)
        let changes = (document["rootHistory"]?.elements ?? []).compactMap { RootChange($0, of: app) }
        try Self.check(root: fingerprint.hex, after: changes, expectation, by: cryptography)
        let message = KeyDocument.prefix + signed
        guard
            Self.signatures(in: outer, by: KeyID(fingerprint: fingerprint))
                .contains(where: { cryptography.verifyEd25519($0, of: message, publicKey: root) })
        else { throw .badSignature }
        guard expires > now else { throw .expired(at: expires) }
        // However the root key came to be expected, it may be the remembered one, or one that this has led to.
        let goesOn = expectation.rememberedRoot.map {
            $0 == fingerprint.hex || RootChange.lead(changes, from: $0, to: fingerprint.hex, by: cryptography)
        }
        if goesOn ?? true {
            if let expected = expectation.app, expected != app.text {
                throw .otherApp(expected: expected, shown: app.text)
            }
            if let seen = expectation.seenNumber, number < seen { throw .olderThanSeen(number: number, seen: seen) }
        }
        self.app = app
        self.number = number
        rootFingerprint = fingerprint.hex
        formerRoots = Self.roots(
            leadingTo: fingerprint.hex, by: changes, besides: expectation.formerRoots, cryptography)
        signing = Self.signingKeys(in: document, at: now, by: cryptography)
    }

    /// Whether a key is one of those that sign.
    func names(_ key: KeyID) -> Bool { signing[key] != nil }

    /// Whether one of the signatures is a valid one, by one of the keys.
    func verify(
        _ signatures: [ArtifactOffer.Signed], of message: [UInt8], by cryptography: any Cryptography
    ) -> Bool {
        signatures.contains { signature in
            guard let key = signing[signature.keyID] else { return false }
            return cryptography.verifyEd25519(signature.value, of: message, publicKey: key)
        }
    }

    /// The root key has to be the one that is expected, or one that this one's statements lead to.
    private static func check(
        root shown: String, after changes: [RootChange], _ expectation: Expectation, by cryptography: any Cryptography
    ) throws(KeyRefusal) {
        if let remembered = expectation.rememberedRoot, expectation.formerRoots.contains(shown) {
            throw .formerRoot(shown: shown, trusted: remembered)
        }
        guard let expected = expectation.pinnedRoot ?? expectation.rememberedRoot, expected != shown else { return }
        guard RootChange.lead(changes, from: expected, to: shown, by: cryptography) else {
            throw .otherRoot(expected: expected, shown: shown, isPinned: expectation.pinnedRoot != nil)
        }
    }

    private static func roots(
        leadingTo shown: String, by changes: [RootChange], besides known: [String], _ cryptography: any Cryptography
    ) -> [String] {
        let changes = changes.prefix(RootChange.historyLength)
        return changes.indices.compactMap { index in
            let root = cryptography.sha256(changes[index].publicKey).hex
            guard root != shown, !known.contains(root) else { return nil }
            return RootChange.lead(Array(changes[index...]), from: root, to: shown, by: cryptography) ? root : nil
        }
    }

    private static func signatures(in outer: JSON, by root: KeyID) -> [[UInt8]] {
        (outer["signatures"]?.elements ?? []).compactMap { signature in
            guard signature["keyId"]?.string == root.text else { return nil }
            return signature["value"]?.string.flatMap(Base64.decode)
        }
    }

    /// An end that cannot be read has come.
    private static func isValid(until end: JSON?, at now: Timestamp) -> Bool {
        guard let end, end != .null else { return true }
        return end.string.flatMap(Timestamp.init(rfc3339:)).map { now < $0 } ?? false
    }

    /// The keys for artifacts that are valid now; the id has to be the one that follows from the key.
    private static func signingKeys(
        in document: JSON, at now: Timestamp, by cryptography: any Cryptography
    ) -> [KeyID: [UInt8]] {
        var keys: [KeyID: [UInt8]] = [:]
        for key in document["keys"]?.elements ?? [] {
            guard key["algorithm"]?.string == "ed25519", key["purpose"]?.string == "artifacts",
                let bytes = key["publicKey"]?.string.flatMap(Base64.decode),
                let validFrom = key["validFrom"]?.string.flatMap(Timestamp.init(rfc3339:)),
                // The server's time is known to the second only, and a new key may be younger than that.
                validFrom <= now.adding(milliseconds: 1000), isValid(until: key["validUntil"], at: now)
            else { continue }
            let id = KeyID(fingerprint: cryptography.sha256(bytes))
            if key["keyId"]?.string == id.text { keys[id] = bytes }
        }
        return keys
    }
}
