import Artifacts
@testable import Client
import Domain
import Ground
import TestKit
import Testing

/// Tests successive root keys from the client's point of view.
struct RootChangeTests {
    private let publication: Publication
    private let cryptography = OpenSSLCryptography()
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    init() throws { publication = try Publication() }

    private typealias Pair = (publicKey: [UInt8], privateKey: [UInt8])

    private func fingerprint(_ pair: Pair) -> SHA256Digest { cryptography.sha256(pair.publicKey) }

    /// Returns the statement of a key about its successor.
    private func change(
        _ old: Pair, _ next: [UInt8], number: Int64 = 1, app: AppID = .default, signer: Pair? = nil
    ) throws -> RootChange {
        let statement = RootChange.statement(app: app, fingerprint: fingerprint(old), next: next, number: number)
        return RootChange(
            app: .default, number: number, publicKey: old.publicKey, next: next,
            signature: try cryptography.signEd25519(statement, privateKey: (signer ?? old).privateKey))
    }

    /// Returns a chain of keys that ends with that of the publication.
    private func chain(_ count: Int) throws -> (first: Pair, changes: [RootChange]) {
        let keys = try (0..<count).map { _ in try cryptography.makeEd25519Pair() } + [publication.root]
        let changes = try zip(keys, keys.dropFirst()).enumerated().map { index, pair in
            try change(pair.0, pair.1.publicKey, number: Int64(index + 1))
        }
        return (keys[0], changes)
    }

    private func trust(_ changes: [RootChange], from root: SHA256Digest, isPinned: Bool = true) throws(KeyRefusal) {
        let response: [UInt8]
        do { response = try publication.keys(rootHistory: changes) } catch { throw .malformed("\(error)") }
        _ = try TrustedKeys(
            response, expecting: isPinned ? .init(pinnedRoot: root.hex) : .init(rememberedRoot: root.hex), at: now,
            by: cryptography)
    }

    @Test(arguments: [1, 2, 16]) func `a root key is followed to the one it leads to`(count: Int) throws {
        let (first, changes) = try chain(count)
        try trust(changes, from: fingerprint(first))
        try trust(changes, from: fingerprint(first), isPinned: false)
        // A client that pinned a later key, or the last, follows the chain as well.
        let later = try #require(changes.last)
        try trust(changes, from: cryptography.sha256(later.publicKey))
        try trust(changes, from: publication.rootFingerprint)
    }

    @Test func `at most as many changes are followed as a document may list`() throws {
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

/// Tests successive root keys with a folder that remembers them.
@Suite(.scratchDirectory, .ownThread)
struct RootMemoryTests {
    /// Returns the statement of a key about its successor.
    private func change(_ old: Publication, _ next: Publication, number: Int64 = 1) throws -> RootChange {
        let statement = RootChange.statement(
            app: .default, fingerprint: old.rootFingerprint, next: next.root.publicKey, number: number)
        return RootChange(
            app: .default, number: number, publicKey: old.root.publicKey, next: next.root.publicKey,
            signature: try old.cryptography.signEd25519(statement, privateKey: old.root.privateKey))
    }

    private func expect(_ refusal: KeyRefusal, pinning pin: SHA256Digest?, _ larder: Larder) throws {
        let error = #expect(throws: SyncError.self) { try larder.engine(rootKey: pin).run() }
        guard case .keys(refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a folder follows a change of the root key and rejects the old key`() throws {
        let larder = try Larder()
        try larder.offer(try larder.version("1.0.0", ["index.html": "one"]))
        let pin = larder.publication.rootFingerprint
        let before = try larder.publication.keys()
        _ = try larder.engine(rootKey: pin).run()

        let next = try Publication(signingAs: larder.publication)
        let after = try next.keys(number: 2, rootHistory: [change(larder.publication, next)])
        larder.model.change { $0.keys = after }
        #expect(try larder.engine(rootKey: pin).run().rootKey == next.rootFingerprint.hex)
        #expect(try larder.sync().rootKey == next.rootFingerprint.hex)

        // A server that presents the former keys is rejected, whether the pin is still given or not.
        larder.model.change { $0.keys = before }
        let shown = KeyRefusal.formerRoot(shown: pin.hex, trusted: next.rootFingerprint.hex)
        for rootKey in [pin, nil] { try expect(shown, pinning: rootKey, larder) }
    }

    /// Creates a folder that followed the changes from its pinned root key to the last one, and trusted those in
    /// between only on the way.
    private func moved(_ larder: Larder, along way: [Publication], number: Int64 = 9) throws -> [RootChange] {
        let changes = try zip(way, way.dropFirst()).enumerated().map { index, pair in
            try change(pair.0, pair.1, number: Int64(index + 1))
        }
        let (first, last) = (try #require(way.first), try #require(way.last))
        larder.model.change { [keys = try first.keys()] in $0.keys = keys }
        _ = try larder.engine(rootKey: first.rootFingerprint).run()
        larder.model.change { [keys = try last.keys(number: number, rootHistory: changes)] in $0.keys = keys }
        #expect(try larder.engine(rootKey: first.rootFingerprint).run().rootKey == last.rootFingerprint.hex)
        return changes
    }

    @Test func `a changed pin leads no folder back to a root key that it has left`() throws {
        let larder = try Larder()
        let way = [
            larder.publication, try Publication(signingAs: larder.publication),
            try Publication(signingAs: larder.publication),
        ]
        let changes = try moved(larder, along: way)
        let trusted = way[2].rootFingerprint
        for (index, publication) in way.dropLast().enumerated() {
            let keys = try publication.keys(number: 20, rootHistory: Array(changes.prefix(index)))
            larder.model.change { $0.keys = keys }
            let left = publication.rootFingerprint
            for pin in [left, nil, trusted] {
                try expect(.formerRoot(shown: left.hex, trusted: trusted.hex), pinning: pin, larder)
            }
        }
        // A key on the way leads to the last one, like the first key.
        let keys = try way[2].keys(number: 9, rootHistory: changes)
        larder.model.change { $0.keys = keys }
        for publication in way { _ = try larder.engine(rootKey: publication.rootFingerprint).run() }
    }

    @Test func `a folder that trusted the last one first does not go back to those before it, either`() throws {
        let larder = try Larder()
        let next = try Publication(signingAs: larder.publication)
        let keys = try next.keys(number: 2, rootHistory: [change(larder.publication, next)])
        larder.model.change { $0.keys = keys }
        _ = try larder.sync()
        let (left, before) = (larder.publication.rootFingerprint, try larder.publication.keys(number: 20))
        larder.model.change { $0.keys = before }
        try expect(.formerRoot(shown: left.hex, trusted: next.rootFingerprint.hex), pinning: left, larder)
    }

    @Test func `a changed pin brings no older document of the root key that is remembered`() throws {
        let larder = try Larder()
        let way = [larder.publication, try Publication(signingAs: larder.publication)]
        _ = try moved(larder, along: way)
        let aside = try Publication(signingAs: larder.publication)
        let older = try way[1].keys(number: 8, rootHistory: [change(aside, way[1])])
        larder.model.change { $0.keys = older }
        for pin in [aside.rootFingerprint, way[1].rootFingerprint, way[0].rootFingerprint, nil] {
            try expect(.olderThanSeen(number: 8, seen: 9), pinning: pin, larder)
        }
        // A following key needs a newer document as well; for an unrelated key any number is accepted.
        let further = try Publication(signingAs: larder.publication)
        let last = try further.keys(number: 8, rootHistory: [change(way[1], further)])
        larder.model.change { $0.keys = last }
        try expect(.olderThanSeen(number: 8, seen: 9), pinning: further.rootFingerprint, larder)
        let others = try aside.keys(number: 1)
        larder.model.change { $0.keys = others }
        #expect(try larder.engine(rootKey: aside.rootFingerprint).run().rootKey == aside.rootFingerprint.hex)
    }

    @Test func `a folder remembers the highest key number even if the config cannot be read`() throws {
        let larder = try Larder()
        let (old, new) = (try larder.publication.keys(number: 4), try larder.publication.keys(number: 5))
        larder.model.change { $0.keys = new }
        larder.model.change { $0.failures["/config"] = 503 }
        #expect(throws: SyncError.self) { try larder.sync() }
        larder.model.change { $0.keys = old }
        larder.model.change { $0.failures = [:] }
        try expect(.olderThanSeen(number: 4, seen: 5), pinning: nil, larder)
    }

    @Test func `the last seventeen former root keys and the pin are remembered`() throws {
        let larder = try Larder()
        let way = try [larder.publication] + (0..<20).map { _ in try Publication(signingAs: larder.publication) }
        _ = try larder.engine(rootKey: way[0].rootFingerprint).run()
        for (number, pair) in zip(way, way.dropFirst()).enumerated() {
            let keys = try pair.1.keys(number: Int64(number + 2), rootHistory: [change(pair.0, pair.1)])
            larder.model.change { $0.keys = keys }
            _ = try larder.engine(rootKey: way[0].rootFingerprint).run()
        }
        let bytes = try #require(Files.read(Larder.folder + "/.larder/state.json"))
        let state = try #require(SyncState(bytes))
        #expect(state.formerRoots == way[3..<20].map(\.rootFingerprint.hex))
        #expect(state.leftRoots == [way[0].rootFingerprint.hex] + state.formerRoots)
        #expect(SyncState(state.bytes) == state)
    }
}
