import Artifacts
@testable import Client
import Domain
import Ground
import Testing

struct TrustedKeysTests {
    private let publication: Publication
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    init() throws { publication = try Publication() }

    private func trust(
        _ response: [UInt8], expecting expectation: TrustedKeys.Expectation = .init(), at instant: Timestamp? = nil
    ) throws(KeyRefusal) -> TrustedKeys {
        try TrustedKeys(response, expecting: expectation, at: instant ?? now, by: publication.cryptography)
    }

    @Test func `the first root key that is seen is trusted`() throws {
        let keys = try trust(publication.keys(number: 7))
        #expect(keys.rootFingerprint == publication.rootFingerprint.hex)
        #expect(keys.number == 7)
        #expect(keys.app == .default)
    }

    @Test func `a pinned root key is trusted, another one refused`() throws {
        let response = try publication.keys()
        let shown = publication.rootFingerprint.hex
        _ = try trust(response, expecting: .init(pinnedRoot: shown))
        let other = String(repeating: "0", count: 64)
        #expect(throws: KeyRefusal.otherRoot(expected: other, shown: shown, isPinned: true)) {
            try trust(response, expecting: .init(pinnedRoot: other))
        }
        #expect(throws: KeyRefusal.otherRoot(expected: other, shown: shown, isPinned: false)) {
            try trust(response, expecting: .init(rememberedRoot: other))
        }
        // Naming the new key confirms a change of the root key.
        _ = try trust(response, expecting: .init(pinnedRoot: shown, rememberedRoot: other))
    }

    @Test func `a document that the root key did not sign is refused`() throws {
        let text = String(decoding: try publication.keys(), as: UTF8.self)
        let json = try #require(JSON(parsing: Array(text.utf8)))
        let other = try publication.keys(number: 2)
        let mixed = json.setting("signed", JSON(parsing: other)?["signed"] ?? .null)
        #expect(throws: KeyRefusal.badSignature) { try trust(mixed.bytes()) }
        #expect(throws: KeyRefusal.badSignature) { try trust(json.setting("signatures", .array([])).bytes()) }
    }

    @Test func `an expired document is refused`() throws {
        let response = try publication.keys(expires: now)
        _ = try trust(response, at: now.adding(milliseconds: -1))
        #expect(throws: KeyRefusal.expired(at: now)) { try trust(response, at: now) }
    }

    @Test func `a document older than one that was seen is refused`() throws {
        let response = try publication.keys(number: 5)
        _ = try trust(response, expecting: .init(seenNumber: 5))
        #expect(throws: KeyRefusal.olderThanSeen(number: 5, seen: 6)) {
            try trust(response, expecting: .init(seenNumber: 6))
        }
    }

    @Test func `the keys of another app are refused`() throws {
        #expect(throws: KeyRefusal.otherApp(expected: "mine", shown: "default")) {
            try trust(publication.keys(), expecting: .init(app: "mine"))
        }
    }

    @Test func `a key is trusted from its beginning to its end, beside others`() throws {
        let message = Array("message".utf8)
        let signatures = [
            ArtifactOffer.Signed(
                keyID: KeyID(fingerprint: publication.cryptography.sha256(publication.signing.publicKey)),
                value: try publication.cryptography.signEd25519(message, privateKey: publication.signing.privateKey))
        ]
        func isTrusted(until end: Timestamp?) throws -> Bool {
            let other = try publication.cryptography.makeEd25519Pair().publicKey
            let more = KeyDocument.Key(
                id: KeyID(fingerprint: publication.cryptography.sha256(other)), publicKey: other, validFrom: now)
            let keys = try trust(publication.keys(validUntil: end, more: [more]))
            return keys.verify(signatures, of: message, by: publication.cryptography)
        }
        #expect(try isTrusted(until: nil))
        #expect(try isTrusted(until: now.adding(milliseconds: 1)))
        #expect(try !isTrusted(until: now))
    }

    @Test func `keys of the history, and those whose end cannot be read, are not trusted`() throws {
        let document = try #require(
            JSON(parsing: publication.keys())?["signed"]?.string.flatMap(Base64.decode).flatMap(JSON.init(parsing:)))
        let key = try #require(document["keys"]?.elements?.first)
        let message = Array("message".utf8)
        let signature = ArtifactOffer.Signed(
            keyID: try #require(key["keyId"]?.string.flatMap(KeyID.init)),
            value: try publication.cryptography.signEd25519(message, privateKey: publication.signing.privateKey))
        func isTrusted(_ document: JSON) throws -> Bool {
            try trust(publication.keys(signing: document.bytes()))
                .verify([signature], of: message, by: publication.cryptography)
        }
        #expect(try isTrusted(document))
        #expect(try !isTrusted(document.setting("keys", .array([])).setting("history", .array([key]))))
        #expect(try !isTrusted(document.setting("keys", .array([key.setting("validUntil", "later")]))))
    }

    @Test(arguments: ["", "[]", "{}", #"{"signed":"!"}"#, #"{"signed":"e30="}"#])
    func `a response that is not a key document is refused`(response: String) {
        let error = #expect(throws: KeyRefusal.self) { try trust(Array(response.utf8)) }
        guard case .malformed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
