import Artifacts
@testable import Client
import Domain
import TestKit
import Testing

/// Root keys that take the place of one another, as a client sees it.
struct RootChangeTests {
    private let publication: Publication
    private let cryptography = OpenSSLCryptography()
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    init() throws { publication = try Publication() }

    private typealias Pair = (publicKey: [UInt8], privateKey: [UInt8])

    private func fingerprint(_ pair: Pair) -> SHA256Digest { cryptography.sha256(pair.publicKey) }

    /// What a key says of the next one.
    private func change(
        _ old: Pair, _ next: [UInt8], number: Int64 = 1, app: AppID = .default, signer: Pair? = nil
    ) throws -> RootChange {
        let statement = RootChange.statement(app: app, fingerprint: fingerprint(old), next: next, number: number)
        return RootChange(
            app: .default, number: number, publicKey: old.publicKey, next: next,
            signature: try cryptography.signEd25519(statement, privateKey: (signer ?? old).privateKey))
    }

    /// A chain of keys that ends with that of the publication.
    private func chain(_ count: Int) throws -> (first: Pair, changes: [RootChange]) {
        let keys = try (0..<count).map { _ in try cryptography.makeEd25519Pair() } + [publication.root]
        let changes = try zip(keys, keys.dropFirst()).enumerated().map { index, pair in
            try change(pair.0, pair.1.publicKey, number: Int64(index + 1))
        }
        return (keys[0], changes)
    }

    private func trust(_ changes: [RootChange], from root: SHA256Digest, isPinned: Bool = true) throws(KeyRefusal) {
        let answer: [UInt8]
        do { answer = try publication.keys(rootHistory: changes) } catch { throw .malformed("\(error)") }
        _ = try TrustedKeys(
            answer, expecting: isPinned ? .init(pinnedRoot: root.hex) : .init(rememberedRoot: root.hex), at: now,
            by: cryptography)
    }

    @Test(arguments: [1, 2, 16]) func `a root key is followed to the one it leads to`(count: Int) throws {
        let (first, changes) = try chain(count)
        try trust(changes, from: fingerprint(first))
        try trust(changes, from: fingerprint(first), isPinned: false)
        // Who pinned a later one, or the last, gets there as well.
        let later = try #require(changes.last)
        try trust(changes, from: cryptography.sha256(later.publicKey))
        try trust(changes, from: publication.rootFingerprint)
    }

    @Test func `of more changes than a document may list, only so many are followed`() throws {
        let (first, changes) = try chain(17)
        #expect(throws: KeyRefusal.self) { try trust(changes, from: fingerprint(first)) }
        try trust(Array(changes.dropFirst()), from: cryptography.sha256(changes[1].publicKey))
    }

    @Test func `a chain that is broken, of another app, or signed by another key is refused`() throws {
        let (first, changes) = try chain(3)
        let start = fingerprint(first)
        let refusal = KeyRefusal.otherRoot(
            expected: start.hex, shown: publication.rootFingerprint.hex, isPinned: true)
        for index in changes.indices {
            var without = changes
            without.remove(at: index)
            #expect(throws: refusal) { try trust(without, from: start) }
            var flipped = changes
            let whole = changes[index]
            flipped[index] = RootChange(
                app: whole.app, number: whole.number, publicKey: whole.publicKey, next: whole.next,
                signature: [whole.signature[0] ^ 1] + whole.signature.dropFirst())
            #expect(throws: refusal) { try trust(flipped, from: start) }
            flipped[index] = RootChange(
                app: whole.app, number: whole.number + 1, publicKey: whole.publicKey, next: whole.next,
                signature: whole.signature)
            #expect(throws: refusal) { try trust(flipped, from: start) }
        }
        #expect(throws: refusal) { try trust(changes.reversed(), from: start) }
        #expect(throws: refusal) { try trust([], from: start) }
        let root = publication.root.publicKey
        let other = try #require(AppID("other"))
        #expect(throws: refusal) { try trust([change(first, root, app: other)], from: start) }
        #expect(throws: refusal) { try trust([change(first, root, signer: publication.root)], from: start) }
        try trust([change(first, root)], from: start)
    }

    @Test func `a chain that leads past the key that signed the document is refused`() throws {
        let (first, changes) = try chain(1)
        let past = try change(publication.root, cryptography.makeEd25519Pair().publicKey, number: 2)
        #expect(throws: KeyRefusal.self) { try trust(changes + [past], from: fingerprint(first)) }
    }
}

/// The same with a folder that remembers.
@Suite(.scratchDirectory, .ownThread)
struct RootMemoryTests {
    @Test func `a folder goes along with the root key, and not back`() throws {
        let larder = try Larder()
        try larder.offer(try larder.version("1.0.0", ["index.html": "one"]))
        let pin = larder.publication.rootFingerprint
        let before = try larder.publication.keys()
        _ = try larder.engine(rootKey: pin).run()

        let next = try Publication()
        let statement = RootChange.statement(app: .default, fingerprint: pin, next: next.root.publicKey, number: 1)
        let change = RootChange(
            app: .default, number: 1, publicKey: larder.publication.root.publicKey, next: next.root.publicKey,
            signature: try next.cryptography.signEd25519(statement, privateKey: larder.publication.root.privateKey))
        let after = try next.keys(number: 2, rootHistory: [change])
        larder.model.change { $0.keys = after }
        #expect(try larder.engine(rootKey: pin).run().rootKey == next.rootFingerprint.hex)
        #expect(try larder.sync().rootKey == next.rootFingerprint.hex)

        // Whoever shows the keys of before is not believed, whether the pin is still given or not.
        larder.model.change { $0.keys = before }
        let shown = KeyRefusal.formerRoot(shown: pin.hex, trusted: next.rootFingerprint.hex)
        for rootKey in [pin, nil] {
            let error = #expect(throws: SyncError.self) { try larder.engine(rootKey: rootKey).run() }
            guard case .keys(shown) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }
}
