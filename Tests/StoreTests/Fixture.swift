import Domain
import Ground
import Store
import Testing

/// Consistent sample values of the domain: app `default`, package `news`.
enum Fixture {
    static let app = AppID.default
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    static func package(_ text: String) throws -> PackageID { try #require(PackageID(text)) }
    static func version(_ text: String) throws -> VersionString { try #require(VersionString(text)) }
    static func reported(_ version: String, of package: String = "news") throws -> ReportedVersion {
        ReportedVersion(package: try self.package(package), version: version)
    }
    static func channel(_ text: String) throws -> ChannelName { try #require(ChannelName(text)) }

    /// Returns the digest with a number.
    static func digest(_ number: Int) throws -> SHA256Digest {
        let tail = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
        return try #require(SHA256Digest(bytes: Array(repeating: 0, count: 24) + tail))
    }

    static func audit(_ action: String, at time: Timestamp = start, app: AppID? = app) -> AuditEntry {
        AuditEntry(time: time, actor: "token 1", action: action, app: app, subject: "news")
    }

    /// Returns the key with a number of one digit, created so many milliseconds after the start.
    static func key(
        _ purpose: KeyPurpose, _ number: Int, app: AppID = app, after delay: Int64 = 0
    ) throws -> AppKey {
        AppKey(
            app: app, purpose: purpose, id: try keyID(number),
            publicKey: Array(repeating: UInt8(number), count: 32), privateKey: Array(repeating: 9, count: 32),
            createdAt: start.adding(milliseconds: delay))
    }

    static func keyID(_ number: Int) throws -> KeyID {
        try #require(KeyID(String(repeating: "0", count: 15) + String(number)))
    }

    static func keys(app: AppID = app) throws -> [AppKey] {
        [try key(.root, 1, app: app), try key(.signing, 2, app: app), try key(.legacy, 3, app: app)]
    }

    static func signature(_ number: Int, _ purpose: KeyPurpose = .signing) throws -> Signature {
        Signature(purpose: purpose, keyID: try keyID(number), value: [UInt8(number), 1, 2])
    }

    static func newsPackage(_ text: String = "news", name: String = "News") throws -> Package {
        Package(
            app: app, id: try package(text), name: name, entry: try TreePath("index.html"),
            urlPrefix: try #require(URLPrefix("/news/")), isEnabled: true, priority: Package.defaultPriority)
    }

    /// Returns a version of two files, whose bytes depend on `seed`.
    static func publishing(_ text: String, of id: String = "news", seed: Int) throws -> Publishing {
        let page = FileContent(
            digest: try digest(seed * 10 + 1), size: 1000, crc32: UInt32.max,
            deflated: DeflatedStream(digest: try digest(seed * 10 + 2), size: 300))
        let image = FileContent(digest: try digest(seed * 10 + 3), size: 0, crc32: 0, deflated: nil)
        let tree = Tree([
            TreeFile(path: try TreePath("index.html"), content: page),
            TreeFile(path: try TreePath("图/é.png"), content: image),
        ])
        let version = Version(
            app: app, package: try package(id), version: try version(text), tree: tree,
            treeHash: try digest(seed * 10 + 4), entry: try TreePath("index.html"),
            urlPrefix: try #require(URLPrefix("/news/")),
            uploaded: UploadedDescriptors(
                appConfig: [.init("a", .array(["x", 1, true, .null])), .init("b", .number("0.5"))],
                fileMap: [.init(key: "/about", target: "/index.html")]),
            createdAt: start)
        let full = Artifact(
            app: app, package: version.package, version: version.version, form: .full, layout: .appFolder,
            tree: try digest(seed * 10 + 5), blob: try digest(seed * 10 + 6), size: 2000,
            md5: Array(repeating: 5, count: 16), recipe: 1)
        return Publishing(
            version: version, identity: try digest(seed * 10 + 7),
            full: SignedArtifact(artifact: full, signatures: [try signature(2), try signature(3, .legacy)]),
            blobs: [
                BlobRecord(digest: page.digest, size: 1000), BlobRecord(digest: image.digest, size: 0),
                BlobRecord(digest: try digest(seed * 10 + 2), size: 300),
                BlobRecord(digest: full.blob, size: 2000),
            ])
    }

    /// Returns a patch whose bytes depend on `seed`.
    static func patch(from base: String, to text: String, of id: String = "news", seed: Int) throws -> Patch {
        let artifact = Artifact(
            app: app, package: try package(id), version: try version(text),
            form: .files(base: try version(base), baseTree: try digest(seed * 10 + 1)), layout: .appFolder,
            tree: try digest(seed * 10 + 2), blob: try digest(seed * 10 + 3), size: 50,
            md5: Array(repeating: 6, count: 16), recipe: 1)
        return Patch(
            signed: SignedArtifact(artifact: artifact, signatures: [try signature(2)]),
            blob: BlobRecord(digest: artifact.blob, size: 50))
    }

    static func terms(isMandatory: Bool = false) throws -> ReleaseTerms {
        let salt = try #require(Salt(bytes: Array(repeating: 7, count: Salt.length)))
        return ReleaseTerms(salt: salt, isMandatory: isMandatory)
    }

    static func draft(
        _ text: String, of id: String = "news", on channel: ChannelName = .production, isMandatory: Bool = false,
        at activeTime: Timestamp? = nil
    ) throws -> ReleaseDraft {
        ReleaseDraft(
            app: app, package: try package(id), channel: channel, version: try version(text),
            terms: try terms(isMandatory: isMandatory), activeTime: activeTime)
    }
}

/// The arguments of `publish`.
struct Publishing {
    var version: Version
    var identity: SHA256Digest
    var full: SignedArtifact
    var blobs: [BlobRecord]
    var details = VersionDetails.none
    var findings = LintResult()
}

/// An incremental archive and its blob.
struct Patch {
    let signed: SignedArtifact
    let blob: BlobRecord
}

extension SQLStore {
    /// Creates a token for everything that does not expire.
    func createToken(
        name: String, role: Role, secretHash: SHA256Digest, audit: AuditEntry
    ) throws(PlatformError) -> Token {
        let draft = TokenDraft(
            name: name, grant: Grant(role, on: .everything), owner: audit.actor, expiresAt: nil)
        return try createToken(draft, secretHash: secretHash, audit: audit)
    }

    func addNews() async throws {
        _ = try createApp(Fixture.app, keys: Fixture.keys(), audit: Fixture.audit("app.create"))
        _ = try putPackage(Fixture.newsPackage(), audit: Fixture.audit("package.put"))
    }

    @discardableResult
    func publish(_ text: String, of id: String = "news", seed: Int) async throws -> Publishing {
        let publishing = try Fixture.publishing(text, of: id, seed: seed)
        try publish(publishing)
        return publishing
    }

    func publish(_ publishing: Publishing) throws {
        try publish(
            publishing.version, publishing.details, findings: publishing.findings, identity: publishing.identity,
            full: publishing.full, blobs: publishing.blobs, audit: Fixture.audit("version.publish"))
    }

    @discardableResult
    func release(
        _ text: String, of id: String = "news", on channel: ChannelName = .production, isMandatory: Bool = false,
        at activeTime: Timestamp? = nil, now: Timestamp = Fixture.start, patches: [Patch] = []
    ) async throws -> Release {
        let draft = try Fixture.draft(text, of: id, on: channel, isMandatory: isMandatory, at: activeTime)
        let made = try makeReleases(
            ReleaseRequest(draft), patches: patches.map(\.signed), blobs: patches.map(\.blob),
            audit: Fixture.audit("release.make", at: now))
        return try #require(made.first)
    }
}

/// Returns the code of the platform error that the body throws, or `nil` without one.
func code(of body: () async throws -> Void) async throws -> PlatformError.Code? {
    do {
        try await body()
        return nil
    } catch let error as PlatformError {
        return error.code
    }
}

extension SQLStore {
    /// Returns the state a day after the start, when all releases of fixtures are active.
    func state(of app: AppID) throws(PlatformError) -> AppState {
        try state(of: app, at: Fixture.start.adding(milliseconds: 86_400_000))
    }
}

extension SQLStore {
    /// Declares a channel without protection; returns `false` if it exists.
    func declareChannel(_ name: ChannelName, of app: AppID, audit: AuditEntry) throws(PlatformError) -> Bool {
        try putChannel(Channel(name: name), of: app, audit: audit)
    }
}
