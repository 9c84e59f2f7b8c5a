package import Domain
package import Ground

/// The keys of an app that a verified `/keys.json` names (semantics.md §6).
package struct TrustedKeys: Sendable {
    package let app: AppID
    package let number: Int64
    /// The SHA-256 of the root key, in hex.
    package let rootFingerprint: String
    /// The replaced root keys that led to this one and were not known yet, oldest first.
    package let formerRoots: [String]
    private let signing: [KeyID: [UInt8]]

    /// The facts that are known before the document is verified.
    package struct Expectation: Sendable {
        /// The root key that the command line requires.
        package var pinnedRoot: String?
        /// The root key that an earlier sync trusted.
        package var rememberedRoot: String?
        /// The replaced root keys that led to the remembered one.
        package var formerRoots: [String]
        /// The app and the newest document under the remembered root key; they do not apply under another root key.
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

    /// Verifies a `/keys.json` response.
    ///
    /// Without a pinned or remembered root key, trusts the key that signed the response. Otherwise trusts the expected
    /// key and keys that a chain of its signed statements leads to. A pin never leads back to a replaced root key.
    ///
    /// - Parameter now: The later of the server's time and this machine's.
    package init(
        _ response: [UInt8], expecting expectation: Expectation, at now: Timestamp, by cryptography: any Cryptography
    ) throws(KeyRefusal) {
        guard let outer = JSON(parsing: response), let signed = outer["signed"]?.string.flatMap(Base64.decode) else {
            throw .malformed("it contains no signed document")
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
        // True if the root key is the remembered one or its successor, even if another one is pinned.
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

    /// Returns whether a key is one of the signing keys.
    func names(_ key: KeyID) -> Bool { signing[key] != nil }

    /// Returns whether one of the signatures is a valid one by one of the keys.
    func verify(
        _ signatures: [ArtifactOffer.Signed], of message: [UInt8], by cryptography: any Cryptography
    ) -> Bool {
        signatures.contains { signature in
            guard let key = signing[signature.keyID] else { return false }
            return cryptography.verifyEd25519(signature.value, of: message, publicKey: key)
        }
    }

    /// Throws unless the root key is the expected one, or one that its statements lead to.
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

    /// Returns whether a key is valid at an instant; an unreadable end counts as passed.
    private static func isValid(until end: JSON?, at now: Timestamp) -> Bool {
        guard let end, end != .null else { return true }
        return end.string.flatMap(Timestamp.init(rfc3339:)).map { now < $0 } ?? false
    }

    /// Returns the currently valid keys for artifacts whose id matches the key.
    private static func signingKeys(
        in document: JSON, at now: Timestamp, by cryptography: any Cryptography
    ) -> [KeyID: [UInt8]] {
        var keys: [KeyID: [UInt8]] = [:]
        for key in document["keys"]?.elements ?? [] {
            guard key["algorithm"]?.string == "ed25519", key["purpose"]?.string == "artifacts",
                let bytes = key["publicKey"]?.string.flatMap(Base64.decode),
                let validFrom = key["validFrom"]?.string.flatMap(Timestamp.init(rfc3339:)),
                // The server's time has a resolution of a second, and a new key may be younger than that.
                validFrom <= now.adding(milliseconds: 1000), isValid(until: key["validUntil"], at: now)
            else { continue }
            let id = KeyID(fingerprint: cryptography.sha256(bytes))
            if key["keyId"]?.string == id.text { keys[id] = bytes }
        }
        return keys
    }
}
