import Domain
import Store
import Testing

@Suite(.databases)
struct VersionsTests {
    @Test(arguments: DatabaseKind.allCases)
    func `a version comes back as it was published`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let published = try await store.publish("1.0.0", seed: 1)
        let read = try await store.version(published.version.version, of: published.version.package, in: Fixture.app)
        #expect(read == published.version)
        #expect(read?.identityBytes == published.version.identityBytes)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a page of versions is sorted, filtered and continued by the database`(on database: DatabaseKind) async throws
    {
        let store = try await database.withNews()
        let news = try Fixture.package("news")
        for (seed, version) in ["1.0.0", "1.1.0-RC", "0.9.0", "2.0.0"].enumerated() {
            try await store.publish(version, seed: seed + 1)
        }
        let retirement = Retirement(time: Fixture.start, actor: "ann", reason: "r")
        _ = try await store.retire(
            Fixture.version("0.9.0"), of: news, in: Fixture.app, retirement, audit: Fixture.audit("version.retire"))
        func page(_ query: VersionQuery) async throws -> ([String], Int64?) {
            let page = try await store.versions(of: news, in: Fixture.app, query)
            return (page.versions.map(\.version.text), page.end)
        }
        let (first, end) = try await page(VersionQuery(limit: 2))
        #expect(end != nil)
        #expect(first == ["1.0.0", "1.1.0-RC"])
        let (rest, last) = try await page(VersionQuery(after: end, limit: 2))
        #expect(rest == ["0.9.0", "2.0.0"] && last == nil)
        #expect(try await page(VersionQuery(isNewestFirst: true, limit: 3)).0 == ["2.0.0", "0.9.0", "1.1.0-RC"])
        #expect(try await page(VersionQuery(isRetired: true, limit: 9)).0 == ["0.9.0"])
        #expect(try await page(VersionQuery(isRetired: false, limit: 9)).0 == ["1.0.0", "1.1.0-RC", "2.0.0"])
        #expect(try await page(VersionQuery(prefix: "1.", isNewestFirst: true, limit: 1)).0 == ["1.1.0-RC"])
        #expect(try await page(VersionQuery(prefix: "1.1.0-rc", limit: 9)).0 == ["1.1.0-RC"])
        #expect(try await page(VersionQuery(prefix: "%", limit: 9)).0 == [])
        let none = try await store.versions(of: Fixture.package("none"), in: Fixture.app, VersionQuery(limit: 9))
        #expect(none.versions.isEmpty && none.end == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version has the size of the patch from the newest earlier version with one`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        for (seed, version) in ["1", "2", "3", "4"].enumerated() { try await store.publish(version, seed: seed + 1) }
        func patch(_ base: String, _ version: String, _ seed: Int, size: Int, _ recipe: Int = 1) throws -> Patch {
            let patch = try Fixture.patch(from: base, to: version, seed: seed)
            let known = patch.signed.artifact
            let artifact = Artifact(
                app: known.app, package: known.package, version: known.version, form: known.form,
                layout: known.layout, tree: known.tree, blob: known.blob, size: size, md5: known.md5, recipe: recipe)
            return Patch(
                signed: SignedArtifact(artifact: artifact, signatures: patch.signed.signatures),
                blob: BlobRecord(digest: known.blob, size: size))
        }
        // From a later version, and from two earlier ones, one of which has two.
        try await store.release("2", patches: [patch("3", "2", 10, size: 5)])
        try await store.release(
            "3",
            patches: [
                patch("1", "3", 11, size: 7), patch("2", "3", 12, size: 60), patch("2", "3", 13, size: 50, 2),
            ])
        let page = try await store.versions(of: Fixture.package("news"), in: Fixture.app, VersionQuery(limit: 9))
        #expect(page.versions.map(\.patchSize) == [nil, nil, 50, nil])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a file is found by the last part of its path, exact by case, in its own version alone`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0", seed: 2)
        func path(_ name: String, _ version: String) async throws -> String? {
            try await store.file(
                named: TreePath(name), of: Fixture.version(version), of: Fixture.package("news"), in: Fixture.app
            )?.path.text
        }
        #expect(try await path("index.html", "1.0.0") == "index.html")
        #expect(try await path("é.png", "2.0.0") == "图/é.png")
        for name in ["É.png", ".png", "html", "图", "index.htm", "none"] {
            #expect(try await path(name, "1.0.0") == nil, "\(name)")
        }
        #expect(try await path("index.html", "3.0.0") == nil)
    }

    @Test func `a file is looked up by its name, and not among all of its version`() throws {
        let database = try Database(.memory)
        try Migrator().migrate(database)
        let plan: [String] = try database.rows(
            """
            EXPLAIN QUERY PLAN SELECT path FROM files
            INDEXED BY files_by_name WHERE version = 1 AND name = 'a' LIMIT 1
            """
        ) { try $0[3] }
        #expect(plan.count == 1 && plan[0].contains("files_by_name (version=? AND name=?)"))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version without a file, an entry or descriptors comes back, too`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        let full = publishing.version
        publishing.version = Version(
            app: full.app, package: full.package, version: full.version, tree: Tree([]), treeHash: full.treeHash,
            entry: nil, urlPrefix: .root, uploaded: UploadedDescriptors(), createdAt: full.createdAt)
        try await store.publish(publishing)
        let read = try await store.version(full.version, of: full.package, in: Fixture.app)
        #expect(read == publishing.version)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `versions are found exact by case, and taken regardless of case`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0-RC", seed: 1)
        let package = try Fixture.package("news")
        let lower = try Fixture.version("1.0.0-rc")
        #expect(try await store.version(lower, of: package, in: Fixture.app) == nil)
        let publication = try await store.publication(of: lower, of: package, in: Fixture.app)
        #expect(publication?.version.text == "1.0.0-RC")
        #expect(publication?.identity == (try Fixture.digest(17)))
        #expect(try await code { try await store.publish("1.0.0-rc", seed: 2) } == .versionExists)
        #expect(try await store.versions(of: package, in: Fixture.app).count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a refused publishing leaves no rows`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        // A file whose bytes are not stored.
        publishing.blobs.removeFirst()
        let before = try await store.audit(before: nil, limit: 100).count
        #expect(try await code { try await store.publish(publishing) } == .internalError)
        #expect(try await store.blobs().isEmpty)
        #expect(try await store.audit(before: nil, limit: 100).count == before)
        #expect(try await store.versions(of: try Fixture.package("news"), in: Fixture.app).isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `publishing needs the package, exact by case`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        #expect(try await code { try await store.publish("1.0.0", of: "News", seed: 1) } == .packageNotFound)
        #expect(try await code { try await store.publish("1.0.0", of: "other", seed: 1) } == .packageNotFound)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a blob may belong to many versions`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("1.0.1", seed: 1)
        #expect(try await store.blobs().count == 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a blob cannot have two sizes`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        var publishing = try Fixture.publishing("1.0.1", seed: 1)
        let known = publishing.full.artifact
        let wrong = Artifact(
            app: known.app, package: known.package, version: known.version, form: .full, layout: .appFolder,
            tree: known.tree, blob: known.blob, size: known.size + 1, md5: known.md5, recipe: 1)
        publishing.full = SignedArtifact(artifact: wrong, signatures: [])
        publishing.blobs = [BlobRecord(digest: known.blob, size: known.size + 1)]
        #expect(try await code { try await store.publish(publishing) } == .internalError)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `summaries count files and bytes`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("0.9.0", seed: 2)
        let summaries = try await store.versions(of: try Fixture.package("news"), in: Fixture.app)
        #expect(summaries.map(\.version.text) == ["1.0.0", "0.9.0"])
        #expect(
            summaries.first
                == VersionSummary(
                    version: try Fixture.version("1.0.0"), treeHash: try Fixture.digest(14), fileCount: 2,
                    totalSize: 1000, archiveSize: 2000, createdAt: Fixture.start))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an unknown package has no versions`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let other = try Fixture.package("other")
        #expect(try await store.versions(of: other, in: Fixture.app).isEmpty)
        #expect(try await store.version(try Fixture.version("1"), of: other, in: Fixture.app) == nil)
        #expect(try await store.publication(of: try Fixture.version("1"), of: other, in: Fixture.app) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a signature by a key that the app does not have is refused`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        publishing.full.signatures = [try Fixture.signature(7)]
        #expect(try await code { try await store.publish(publishing) } == .keyNotFound)
        #expect(try await store.blobs().isEmpty)
    }
}
