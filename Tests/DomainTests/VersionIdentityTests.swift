import Domain
import Ground
import Testing

struct VersionIdentityTests {
    @Test func `the identity is made of these lines`() throws {
        let uploaded = UploadedDescriptors(
            appConfig: [.init("theme", "dark")], fileMap: [.init(key: "/x", target: "/index.html")])
        let lines = [
            "larder-version-1", "tree " + String(repeating: "ab", count: 32), "url-prefix /news/", "entry index.html",
            #"app-config {"theme":"dark"}"#, #"file-map {"/x":"/index.html"}"#,
        ]
        let version = try Sample.makeVersion(uploaded: uploaded)
        #expect(String(decoding: version.identityBytes, as: UTF8.self) == lines.joined(separator: "\n") + "\n")
    }

    @Test func `an absent member has no line`() throws {
        let text = String(decoding: try Sample.makeVersion(entry: nil).identityBytes, as: UTF8.self)
        #expect(text.split(separator: "\n").count == 3)
    }

    @Test func `each thing that counts changes it`() throws {
        let config = UploadedDescriptors(appConfig: [.init("theme", "dark")])
        let otherConfig = UploadedDescriptors(appConfig: [.init("theme", "light")])
        let map = UploadedDescriptors(fileMap: [.init(key: "/x", target: "/index.html")])
        let otherKey = UploadedDescriptors(fileMap: [.init(key: "/y", target: "/index.html")])
        let otherTarget = UploadedDescriptors(fileMap: [.init(key: "/x", target: "/js/app.js")])
        let versions = [
            try Sample.makeVersion(), try Sample.makeVersion(treeHash: Sample.digest(1)),
            try Sample.makeVersion(entry: nil), try Sample.makeVersion(entry: "js/app.js"),
            try Sample.makeVersion(urlPrefix: "/"), try Sample.makeVersion(uploaded: config),
            try Sample.makeVersion(uploaded: otherConfig), try Sample.makeVersion(uploaded: map),
            try Sample.makeVersion(uploaded: otherKey), try Sample.makeVersion(uploaded: otherTarget),
        ]
        #expect(Set(versions.map(\.identityBytes)).count == versions.count)
    }

    @Test func `the tree counts by its hash alone`() throws {
        let first = try Sample.makeVersion(tree: Sample.tree("index.html"))
        #expect(first.identityBytes == (try Sample.makeVersion().identityBytes))
    }
}

struct ArtifactTests {
    private func artifact(_ form: Artifact.Form = .full) throws -> Artifact {
        Artifact(
            app: .default, package: try Sample.package(), version: try Sample.version("1.2.0+5"), form: form,
            layout: .appFolder, tree: try Sample.digest(0x11), blob: try Sample.digest(0x22), size: 1234,
            md5: Array(repeating: 3, count: 16), recipe: 1)
    }

    @Test func `a full archive is signed over these lines`() throws {
        let lines = [
            "larder-artifact-1", "default", "news", "1.2.0+5", "full", "app-folder", "-",
            String(repeating: "11", count: 32), String(repeating: "22", count: 32), "1234", "",
        ]
        #expect(String(decoding: try artifact().signedBytes, as: UTF8.self) == lines.joined(separator: "\n"))
    }

    @Test func `an incremental archive names its kind and its base`() throws {
        let patch = try artifact(.files(base: Sample.version("1.1.0"), baseTree: Sample.digest(0x44)))
        let lines = String(decoding: patch.signedBytes, as: UTF8.self).split(separator: "\n")
        #expect(lines[4] == "files")
        #expect(lines[6] == "1.1.0")
        #expect(patch.base?.text == "1.1.0")
        #expect(try patch.baseTree == Sample.digest(0x44))
        #expect(patch.fileName == "news-1.1.0-1.2.0+5.zip")
        #expect(try artifact().fileName == "news-1.2.0+5.zip")
    }
}

struct KeyDocumentTests {
    private let document: KeyDocument

    init() throws {
        document = KeyDocument(
            app: .default, number: 7, issuedAt: Sample.start, expiresAt: Sample.instant(24),
            root: try #require(KeyID("0123456789abcdef")), rootPublicKey: [1, 2, 3],
            signing: [
                .init(id: try #require(KeyID("fedcba9876543210")), publicKey: [4, 5], validFrom: Sample.instant(1))
            ],
            history: [
                .init(
                    id: try #require(KeyID("aaaaaaaaaaaaaaaa")), publicKey: [6], validFrom: Sample.start,
                    validUntil: Sample.instant(2))
            ])
    }

    @Test func `the document is these bytes`() {
        let expected = """
            {"app":"default","number":7,"issued":"2026-01-01T00:00:00Z","expires":"2026-01-02T00:00:00Z",\
            "root":{"keyId":"0123456789abcdef","algorithm":"ed25519","publicKey":"AQID"},\
            "keys":[{"keyId":"fedcba9876543210","algorithm":"ed25519","purpose":"artifacts","publicKey":"BAU=",\
            "validFrom":"2026-01-01T01:00:00Z"}],\
            "history":[{"keyId":"aaaaaaaaaaaaaaaa","algorithm":"ed25519","purpose":"artifacts","publicKey":"Bg==",\
            "validFrom":"2026-01-01T00:00:00Z","validUntil":"2026-01-01T02:00:00Z"}]}
            """
        #expect(String(decoding: document.bytes, as: UTF8.self) == expected)
        #expect(String(decoding: KeyDocument.prefix, as: UTF8.self) == "larder-keys-1\n")
    }

    @Test func `other documents name the same keys or not, whatever else they say`() {
        func other(_ signing: [KeyDocument.Key], _ history: [KeyDocument.Key]) -> KeyDocument {
            KeyDocument(
                app: .default, number: 8, issuedAt: Sample.instant(5), expiresAt: Sample.instant(6),
                root: self.document.root, rootPublicKey: self.document.rootPublicKey, signing: signing, history: history
            )
        }
        let (signing, history) = (document.signing, document.history)
        #expect(other(signing, history).namesKeys(of: document.bytes))
        #expect(!other(signing, []).namesKeys(of: document.bytes))
        #expect(!other(signing + signing, history).namesKeys(of: document.bytes))
        // A document of Larder before it listed retired keys.
        #expect(!other(signing, []).namesKeys(of: Array("{\"keys\":[]}".utf8)))
    }
}
