package import Ground

/// A root key's signed statement that names its successor (semantics.md §6).
package struct RootChange: Sendable, Equatable {
    package let app: AppID
    /// The number of the change, counted for each app from 1.
    package let number: Int64
    /// The public half of the replaced key, which signs the statement.
    package let publicKey: [UInt8]
    /// The public half of the successor.
    package let next: [UInt8]
    package let signature: [UInt8]

    /// The limit on the changes that a document lists and a client follows.
    package static let historyLength = 16

    package init(app: AppID, number: Int64, publicKey: [UInt8], next: [UInt8], signature: [UInt8]) {
        self.app = app
        self.number = number
        self.publicKey = publicKey
        self.next = next
        self.signature = signature
    }

    /// Returns the bytes that the replaced key signs: five lines.
    package static func statement(
        app: AppID, fingerprint: SHA256Digest, next: [UInt8], number: Int64
    ) -> [UInt8] {
        Array("larder-root-1\n\(app)\n\(fingerprint.hex)\n\(Base64.encode(next))\n\(number)\n".utf8)
    }

    /// Returns whether the statements lead from one root key to another, by their fingerprints in hex.
    ///
    /// - Parameter changes: The changes, oldest first; changes of other keys are ignored.
    package static func lead(
        _ changes: [RootChange], from start: String, to end: String, by cryptography: any Cryptography
    ) -> Bool {
        var known = start
        for change in changes.prefix(historyLength) {
            let fingerprint = cryptography.sha256(change.publicKey)
            guard fingerprint.hex == known else { continue }
            let statement = statement(
                app: change.app, fingerprint: fingerprint, next: change.next, number: change.number)
            guard cryptography.verifyEd25519(change.signature, of: statement, publicKey: change.publicKey) else {
                return false
            }
            known = cryptography.sha256(change.next).hex
        }
        return known == end
    }
}

extension RootChange {
    /// The change as a member of a key document.
    package var json: JSON {
        .object([
            "number": .integer(number), "publicKey": .string(Base64.encode(publicKey)),
            "next": .string(Base64.encode(next)), "signature": .string(Base64.encode(signature)),
        ])
    }

    /// Parses the output of ``json``; fails for anything else.
    package init?(_ json: JSON, of app: AppID) {
        func bytes(_ name: String) -> [UInt8]? { json[name]?.string.flatMap(Base64.decode) }
        guard let number = json["number"]?.integer, let publicKey = bytes("publicKey"), let next = bytes("next"),
            let signature = bytes("signature")
        else { return nil }
        self.init(app: app, number: number, publicKey: publicKey, next: next, signature: signature)
    }
}
