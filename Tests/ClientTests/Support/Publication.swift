import Artifacts
import Domain
import Ground
import Testing

/// The keys of an app, and versions built and signed with them like those of a server.
struct Publication: Sendable {
    let cryptography = OpenSSLCryptography()
    let app: AppID = .default
    let root: (publicKey: [UInt8], privateKey: [UInt8])
    let signing: (publicKey: [UInt8], privateKey: [UInt8])

    init() throws {
        root = try cryptography.makeEd25519Pair()
        signing = try cryptography.makeEd25519Pair()
    }

    /// Creates a publication with the signing key of another one and a new root key.
    init(signingAs other: Publication) throws {
        root = try cryptography.makeEd25519Pair()
        signing = other.signing
    }

    /// A zip and its digest.
    struct Archive: Sendable {
        let bytes: [UInt8]
        let digest: SHA256Digest
    }

    /// A version as devices get it.
    struct Version: Sendable {
        let package: PackageID
        let version: VersionString
        /// The files by path in the package's folder, descriptors included.
        let files: [String: String]
        let tree: SHA256Digest
        let full: Archive
    }

    var rootFingerprint: SHA256Digest { cryptography.sha256(root.publicKey) }

    /// Builds a version in a new folder below `scratch`.
    func version(
        _ text: String, of id: String, _ files: [String: String], in scratch: String, saying inside: String? = nil
    ) throws -> Version {
        var files = files
        files["app.config.json"] = "{\"appId\":\"\(id)\",\"version\":\"\(inside ?? text)\"}"
        let listed = files.keys.sorted() + ["files.json"]
        files["files.json"] = JSON.object(listed.map { .init("/\($0)", .string("/\($0)")) }).text
        let folder = "\(scratch)/build-\(UInt64.random(in: 0...UInt64.max))"
        let full = try archive(files, of: id, in: folder)
        return Version(
            package: try #require(PackageID(id)), version: try #require(VersionString(text)), files: files,
            tree: cryptography.sha256(try TreeScanner.scan(folder + "/tree").hashedBytes), full: full)
    }

    /// Returns an archive of the files that changed between two versions, and both descriptors.
    func patch(from base: Version, to version: Version, in scratch: String) throws -> Archive {
        let changed = version.files.filter { path, text in
            base.files[path] != text || path == "app.config.json" || path == "files.json"
        }
        let folder = "\(scratch)/patch-\(UInt64.random(in: 0...UInt64.max))"
        return try archive(changed, of: version.package.text, in: folder)
    }

    private func archive(_ files: [String: String], of id: String, in folder: String) throws -> Archive {
        for (path, text) in files { Files.write(text, to: "\(folder)/tree/\(id)/\(path)") }
        let zip = "\(folder)/archive.zip"
        try ZipMaker.pack(folder + "/tree", into: zip)
        let bytes = try #require(Files.read(zip))
        return Archive(bytes: bytes, digest: cryptography.sha256(bytes))
    }

    // MARK: The wire

    /// Returns an entry of `/config`.
    ///
    /// - Parameter patches: The patches by the version that they start from.
    func entry(
        _ version: Version, at base: String, patches: [(base: Version, archive: Archive)] = [], rank: Int64 = 1000
    ) throws -> JSON {
        let full = try offer(version.full, of: version, form: .full, at: base)
        let patchOffers: [JSON] = try patches.map { patch in
            let offer = try offer(
                patch.archive, of: version, form: .files(base: patch.base.version, baseTree: patch.base.tree), at: base)
            return offer.setting("kind", "files").setting("from", .string(patch.base.version.text))
                .setting("baseTree", .string(patch.base.tree.hex))
        }
        let legacy = patches.map {
            JSON.Member($0.base.version.text, .object(["appId": .string(version.package.text)]))
        }
        return full.setting("appId", .string(version.package.text)).setting("name", "name").setting("enable", true)
            .setting("version", .string(version.version.text)).setting("priority", 999)
            .setting("incrementalPackages", .object(legacy)).setting("patches", .array(patchOffers))
            .setting("rank", .integer(rank))
    }

    private func offer(
        _ archive: Archive, of version: Version, form: Artifact.Form, at base: String
    ) throws -> JSON {
        let artifact = Artifact(
            app: app, package: version.package, version: version.version, form: form, layout: .appFolder,
            tree: version.tree, blob: archive.digest, size: archive.bytes.count, md5: [], recipe: 1)
        let signature = try cryptography.signEd25519(artifact.signedBytes, privateKey: signing.privateKey)
        return .object([
            "url": .string("\(base)/blobs/\(archive.digest)/x.zip"), "sha256": .string(archive.digest.hex),
            "size": .integer(Int64(archive.bytes.count)), "layout": "app-folder", "tree": .string(version.tree.hex),
            "signatures": [
                .object([
                    "keyId": .string(KeyID(fingerprint: cryptography.sha256(signing.publicKey)).text),
                    "value": .string(Base64.encode(signature)),
                ])
            ].asArray,
        ])
    }

    /// Returns the body of `/keys.json`.
    ///
    /// - Parameter more: Further signing keys in the document.
    func keys(
        number: Int64 = 1, expires: Timestamp = Timestamp(milliseconds: 4_000_000_000_000),
        validUntil: Timestamp? = nil, more: [KeyDocument.Key] = [], rootHistory: [RootChange] = []
    ) throws -> [UInt8] {
        let document = KeyDocument(
            app: app, number: number, issuedAt: Timestamp(milliseconds: 0), expiresAt: expires,
            root: KeyID(fingerprint: rootFingerprint), rootPublicKey: root.publicKey,
            signing: more + [
                .init(
                    id: KeyID(fingerprint: cryptography.sha256(signing.publicKey)), publicKey: signing.publicKey,
                    validFrom: Timestamp(milliseconds: 0), validUntil: validUntil)
            ], rootHistory: rootHistory)
        return try keys(signing: document.bytes)
    }

    /// Returns a document with the signature of the root key.
    func keys(signing document: [UInt8]) throws -> [UInt8] {
        let signature = try cryptography.signEd25519(KeyDocument.prefix + document, privateKey: root.privateKey)
        return JSON.object([
            "signed": .string(Base64.encode(document)),
            "signatures": [
                .object([
                    "keyId": .string(KeyID(fingerprint: rootFingerprint).text),
                    "value": .string(Base64.encode(signature)),
                ])
            ].asArray,
        ]).bytes()
    }
}

extension [JSON] {
    fileprivate var asArray: JSON { .array(self) }
}

extension JSON {
    /// Returns the object with this member, which replaces an earlier one.
    func setting(_ key: String, _ value: JSON) -> JSON {
        let others = (members ?? []).filter { $0.key != key }
        return .object(others + [Member(key, value)])
    }
}
