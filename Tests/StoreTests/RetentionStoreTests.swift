import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests which rows the database deletes, and which it keeps.
@Suite(.scratchDirectory, .databases)
struct RetentionStoreTests {
    private func facts(_ store: SQLStore) async throws -> RetentionFacts {
        try await store.retentionFacts(of: Fixture.package("news"), in: .default)
    }

    private func forget(_ version: String, in store: SQLStore, at now: Timestamp = Fixture.start) async throws {
        let known = try await facts(store).versions
        let number = try #require(known.first { $0.version.text == version }).number
        try await store.forget(Removal(versions: [number]), at: now, audit: Fixture.audit("package.prune", at: now))
    }

    private func forgetAllBlobs(_ store: SQLStore) async throws -> Set<SHA256Digest> {
        var forgotten: Set<SHA256Digest> = []
        for shard in UInt8.min...UInt8.max {
            forgotten.formUnion(try await store.forgetBlobs(in: shard, upTo: 1000) { $0 }.map(\.digest))
        }
        return forgotten
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the facts contain versions, archives and the times since which they are not named`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let first = try await store.publish("1.0.0", seed: 1)
        let second = try await store.publish("2.0.0", seed: 2)
        try await store.release("1.0.0")
        let patch = try Fixture.patch(from: "1.0.0", to: "2.0.0", seed: 3)
        let release = try await store.release("2.0.0", patches: [patch])
        try await store.noteUnnamed(
            except: [second.full.artifact.blob], of: .default, at: Timestamp(milliseconds: 7))
        let facts = try await facts(store)
        #expect(facts.versions.map(\.version.text) == ["1.0.0", "2.0.0"])
        #expect(facts.versions.map(\.fileCount) == [2, 2])
        #expect(facts.versions.map(\.publishedAt) == [Fixture.start, Fixture.start])
        #expect(facts.artifacts.map(\.blob) == [first, second].map(\.full.artifact.blob) + [patch.blob.digest])
        #expect(facts.artifacts.map(\.base?.text) == [nil, nil, "1.0.0"])
        let moment = Timestamp(milliseconds: 7)
        #expect(facts.artifacts.map(\.unreferencedSince) == [moment, nil, moment])
        #expect(facts.releases.last == release)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the time stays until a response names the archive again`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let blob = try await store.publish("1.0.0", seed: 1).full.artifact.blob
        try await store.noteUnnamed(except: [], of: .default, at: Timestamp(milliseconds: 7))
        try await store.noteUnnamed(except: [], of: .default, at: Timestamp(milliseconds: 9))
        #expect(try await facts(store).artifacts.first?.unreferencedSince == Timestamp(milliseconds: 7))
        try await store.noteNamed([blob], of: .default)
        #expect(try await facts(store).artifacts.first?.unreferencedSince == nil)
        try await store.noteUnnamed(except: [blob], of: .default, at: Timestamp(milliseconds: 11))
        #expect(try await facts(store).artifacts.first?.unreferencedSince == nil)
        // Another app's reference to the same archive does not count.
        try await store.noteUnnamed(except: [], of: .default, at: Timestamp(milliseconds: 12))
        try await store.noteNamed([blob], of: try #require(AppID("other")))
        #expect(try await facts(store).artifacts.first?.unreferencedSince == Timestamp(milliseconds: 12))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a forgotten version keeps its name, and its other data are removed`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let publishing = try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0", seed: 2)
        let patch = try Fixture.patch(from: "1.0.0", to: "2.0.0", seed: 3)
        try await store.release("1.0.0")
        try await store.release("2.0.0", patches: [patch])
        let later = Fixture.start.adding(milliseconds: 5)
        try await forget("1.0.0", in: store, at: later)

        let news = try Fixture.package("news")
        let version = try Fixture.version("1.0.0")
        #expect(try await store.versions(of: news, in: .default).map(\.version.text) == ["2.0.0"])
        #expect(try await store.version(version, of: news, in: .default) == nil)
        let publication = try await store.publication(of: version, of: news, in: .default)
        #expect(
            publication
                == Publication(version: version, identity: publishing.identity, isRetired: false, prunedAt: later))
        let state = try await store.state(of: .default)
        #expect(state.versions[news]?.keys.map(\.text) == ["2.0.0"])
        #expect(state.versions[news]?[try Fixture.version("2.0.0")]?.patches == [])
        #expect(state.releases[news]?.count == 2)
        let facts = try await facts(store)
        #expect(facts.versions.map(\.version.text) == ["2.0.0"] && facts.artifacts.count == 1)
        #expect(try await store.audit(before: nil, limit: 1).first?.entry.action == "package.prune")
        // Reports of devices that still have the version are stored.
        let report = Report(
            app: .default, eventID: "e", deviceID: "d", package: news, version: version.text, event: "opened",
            time: later, details: [])
        #expect(
            try await store.insertReports([report], at: later, keeping: ReportWindow(rows: 10)) == [.stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a forgotten version can be published again with the same content only`(on database: DatabaseKind) async throws
    {
        let store = try await database.withNews()
        let publishing = try await store.publish("1.0.0", seed: 1)
        try await forget("1.0.0", in: store)
        #expect(try await forgetAllBlobs(store) == Set(publishing.blobs.map(\.digest)))
        #expect(try await store.blobs() == [])

        let other = try Fixture.publishing("1.0.0", seed: 2)
        #expect(try await code { try await store.publish(other) } == .versionExists)
        var folded = try Fixture.publishing("1.0.0", seed: 1)
        folded.identity = try Fixture.digest(99)
        #expect(try await code { try await store.publish(folded) } == .versionExists)

        let again = try Fixture.publishing("1.0.0", seed: 1)
        let later = Fixture.start.adding(milliseconds: 9)
        let version = again.version
        try await store.publish(
            Publishing(
                version: Version(
                    app: version.app, package: version.package, version: version.version, tree: version.tree,
                    treeHash: version.treeHash, entry: version.entry, urlPrefix: version.urlPrefix,
                    uploaded: version.uploaded, createdAt: later),
                identity: again.identity, full: again.full, blobs: again.blobs))
        #expect(try await store.version(version.version, of: version.package, in: .default)?.tree == version.tree)
        // The version counts as published now, and can be pruned again.
        #expect(try await facts(store).versions.map(\.publishedAt) == [later])
        #expect(try await store.versions(of: version.package, in: .default).map(\.createdAt) == [later])
        #expect(try await store.blobs() == Set(again.blobs.map(\.digest)))
        #expect(try await code { try await store.publish(again) } == .versionExists)
        try await forget("1.0.0", in: store, at: later)
        #expect(try await facts(store).versions == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `blobs that something else refers to stay`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let publishing = try await store.publish("1.0.0", seed: 1)
        var twin = try Fixture.publishing("1.0.0", of: "other", seed: 1)
        _ = try await store.putPackage(Fixture.newsPackage("other"), audit: Fixture.audit("package.put"))
        let full = twin.full.artifact
        twin.full = SignedArtifact(
            artifact: Artifact(
                app: full.app, package: full.package, version: full.version, form: .full, layout: full.layout,
                tree: full.tree, blob: try Fixture.digest(77), size: 2000, md5: full.md5, recipe: 1),
            signatures: twin.full.signatures)
        twin.blobs.append(BlobRecord(digest: try Fixture.digest(77), size: 2000))
        try await store.publish(twin)

        let number = try #require(try await facts(store).versions.first?.number)
        let removal = Removal(versions: [number])
        // Only the archive is unshared; the files are shared.
        let freed = try await store.unreferencedBlobs(in: 0, disregarding: removal)
        #expect(freed.map(\.digest) == [publishing.full.artifact.blob])
        #expect(try await store.unreferencedBlobs(in: 0, disregarding: Removal()) == [])
        #expect(try await store.unreferencedBlobs(in: 1, disregarding: removal) == [])
        try await forget("1.0.0", in: store)
        #expect(try await forgetAllBlobs(store) == [publishing.full.artifact.blob])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a requested patch can be requested again once it is forgotten`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let news = try Fixture.package("news")
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0", seed: 2)
        try await store.release("2.0.0")
        let patch = try Fixture.patch(from: "1.0.0", to: "2.0.0", seed: 3)
        let (base, target) = (try Fixture.version("1.0.0"), try Fixture.version("2.0.0"))
        let request = PatchRequest(app: .default, package: news, pair: VersionPair(base: base, target: target))
        try await store.addDemand(request, patch: patch.signed, at: Fixture.start)
        let demanded = try await store.state(of: .default, at: Fixture.start).versions[news]?[target]?.demand.bases
        #expect(demanded?.map(\.version) == [base])
        let number = try #require(try await facts(store).artifacts.last?.number)
        try await store.forget(
            Removal(artifacts: [number]), at: Fixture.start, audit: Fixture.audit("package.prune"))
        let left = try await store.state(of: .default, at: Fixture.start).versions[news]?[target]?.demand.bases
        #expect(left == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a new epoch, as after a restore, restarts every grace period`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let store = try SQLStore(opening: location)
        try await store.addNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.noteUnnamed(except: [], of: .default, at: Fixture.start)
        #expect(try await facts(store).artifacts.map(\.unreferencedSince) == [Fixture.start])
        // As the command of deploy/README.md does.
        try Database(location.shared).execute("UPDATE meta SET epoch = '0123456789abcdef'")
        #expect(try await facts(store).artifacts.map(\.unreferencedSince) == [nil])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `no archive, patch or release is made of a version whose files are gone`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0", seed: 2)
        let patch = try Fixture.patch(from: "1.0.0", to: "2.0.0", seed: 3)
        try await forget("1.0.0", in: store)
        let added = try await code { try await store.addPatches([patch.signed], at: Fixture.start) }
        #expect(added == .conflict)
        #expect(try await facts(store).artifacts.count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a patch that is forgotten frees its blob, and one that is held is not forgotten`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0", seed: 2)
        let patch = try Fixture.patch(from: "1.0.0", to: "2.0.0", seed: 3)
        try await store.release("2.0.0", patches: [patch])
        let number = try #require(try await facts(store).artifacts.last?.number)
        let removal = Removal(artifacts: [number])
        #expect(try await store.unreferencedBlobs(in: 0, disregarding: removal) == [patch.blob])
        try await store.forget(removal, at: Fixture.start, audit: Fixture.audit("package.prune"))
        #expect(try await facts(store).artifacts.count == 2)
        #expect(try await store.forgetBlobs(in: 0, upTo: 1000) { _ in [] } == [])
        #expect(try await store.forgetBlobs(in: 0, upTo: 0) { $0 } == [])
        #expect(try await store.forgetBlobs(in: 0, upTo: 1) { $0 } == [patch.blob])
    }
}
