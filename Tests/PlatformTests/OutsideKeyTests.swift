import Artifacts
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests signing keys whose private halves are outside of the server.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct OutsideKeyTests {
    /// A signer with a key that the service never sees, or with the behaviour of a test.
    private final class Signer: OutsideSigner {
        let privateKey: [UInt8]
        let asked = Shared<[String]>([])
        let signature = Shared<[UInt8]?>(nil)
        let failure = Shared<PlatformError?>(nil)

        init() throws {
            privateKey = try OpenSSLCryptography().readEd25519Pair(pem: TestService.signingPEM).privateKey
        }

        func sign(_ message: [UInt8], by key: AppKey) throws(PlatformError) -> [UInt8] {
            asked.change { $0.append("\(key.app) \(key.purpose.rawValue) \(key.id)") }
            if let failure = failure.value { throw failure }
            if let signature = signature.value { return signature }
            return try OpenSSLCryptography().signEd25519(message, privateKey: privateKey)
        }
    }

    /// The public half of ``TestService/signingPEM``, as SubjectPublicKeyInfo.
    private static let publicPEM = Array(
        """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
        -----END PUBLIC KEY-----

        """.utf8)

    private var news: PackageID { get throws { try #require(PackageID("news")) } }

    private let broken = PlatformError(.signingFailed, "broken")

    private func imported(by signer: Signer) async throws -> TestService {
        let service = try await TestService(outside: signer)
        try await service.ship("1.0.0")
        let (key, isNew) = try await service.keys.importOutside(pem: Self.publicPEM, of: service.app, by: .server)
        #expect(isNew && key.id.text == TestService.signingKeyID && key.privateKey == nil)
        return service
    }

    /// Whether the outside key has signed all offered artifacts, patches included.
    private func isSigned(_ service: TestService) async throws -> Bool {
        let current = try #require(try service.entry()?.current)
        let keys = try await service.store.keys(of: .default)
        let key = try #require(keys.first { $0.id.text == TestService.signingKeyID })
        return ([current.version.full] + current.patches).allSatisfy { signed in
            signed.signatures.contains { signature in
                signature.keyID == key.id
                    && service.cryptography.verifyEd25519(
                        signature.value, of: signed.artifact.signedBytes, publicKey: key.publicKey)
            }
        }
    }

    @Test func `permissions are signed only by the keys on the server`() async throws {
        let signer = try Signer()
        let service = try await imported(by: signer)
        let here = try #require(
            try await service.store.keys(of: .default).first { $0.purpose == .signing && $0.privateKey != nil })
        let asked = signer.asked.value.count
        try await service.putPackage("news", .init(permissions: PagePermissions(apis: ["camera"], origins: [])))
        let entry = try #require(try service.entry())
        let offer = try #require(entry.current)
        #expect(try service.view().permissions(in: offer, of: entry.package)?.signatures.map(\.keyID) == [here.id])
        let grant = PageGrant(
            name: try #require(GrantName("shop")), origin: try PageOrigin("https://shop.example"),
            path: try PagePath("/"), apis: ["camera"], expiresAt: service.fromNow(60_000))
        _ = try await service.pageGrants.putPageGrant(grant, of: service.app, by: .server)
        let (page, nonce) = (try PageURL("https://shop.example"), try #require(GrantNonce("n")))
        let issuer = GrantIssuer(store: service.store, keys: service.keys, work: service.work)
        let issued = try await issuer.issue(to: page, nonce: nonce, appVersion: nil, in: service.view())
        #expect(issued.signatures.map(\.keyID) == [here.id])

        _ = try await service.keys.retire(here.id, of: service.app, by: .server)
        #expect(try service.view().permissions(in: offer, of: entry.package) == nil)
        await #expect {
            try await issuer.issue(to: page, nonce: nonce, appVersion: nil, in: service.view())
        } throws: { ($0 as? PlatformError)?.code == .signingFailed }
        #expect(signer.asked.value.count == asked)
    }

    @Test func `an outside key signs existing and later artifacts`() async throws {
        let signer = try Signer()
        let service = try await imported(by: signer)
        #expect(try await isSigned(service))
        try await service.ship("1.1.0")
        #expect(try await isSigned(service))
        #expect(try service.entry()?.current?.patches.isEmpty == false)
        #expect(Set(signer.asked.value) == ["default signing \(TestService.signingKeyID)"])
        let again = try await service.keys.importOutside(pem: Self.publicPEM, of: service.app, by: .server)
        #expect(!again.isNew)
        let retired = try await service.keys.retire(again.key.id, of: service.app, by: .server)
        #expect(retired.retiredAt != nil)
        signer.failure.change { $0 = broken }
        try await service.ship("1.2.0")
    }

    @Test func `if an outside key does not sign, publishing fails and leaves the data unchanged`() async throws {
        let signer = try Signer()
        let service = try await imported(by: signer)
        let before = try await service.store.versions(of: news, in: .default).count
        signer.failure.change { $0 = broken }
        #expect(try await code { try await service.ship("1.1.0") } == .signingFailed)
        signer.failure.change { $0 = nil }
        // An invalid signature of that key is rejected.
        for signature in [[], [UInt8](repeating: 0, count: 64)] {
            signer.signature.change { $0 = signature }
            #expect(try await code { try await service.ship("1.1.0") } == .signingFailed)
        }
        #expect(try await service.store.versions(of: news, in: .default).count == before)
        #expect(try service.entry()?.current?.version.version.text == "1.0.0")
        signer.signature.change { $0 = nil }
        try await service.ship("1.1.0")
        #expect(try await isSigned(service))
    }

    /// Returns a service with a released and a published version, whose signer fails from here on.
    private func broken(_ signer: Signer, _ versions: String...) async throws -> TestService {
        let service = try await imported(by: signer)
        for version in versions {
            service.clock.advance(milliseconds: 1)
            try await service.publishSample(version)
        }
        signer.failure.change { $0 = broken }
        signer.asked.change { $0 = [] }
        return service
    }

    private func request(_ base: String, _ target: String) throws -> PatchRequest {
        PatchRequest(
            app: .default, package: try news,
            pair: VersionPair(
                base: try #require(VersionString(base)), target: try #require(VersionString(target))))
    }

    @Test func `a release is made without patches that an outside key does not sign, and gets them later`() async throws
    {
        let signer = try Signer()
        let service = try await broken(signer, "1.1.0")
        let made = try await service.release("1.1.0")
        #expect(!made.arePatchesReady && signer.asked.value.count == 1)
        let current = try #require(try service.entry()?.current)
        #expect(current.version.version.text == "1.1.0" && current.patches.isEmpty)
        #expect(try await isSigned(service))
        // Built blobs that were not stored have no owner.
        #expect(try service.blobs.sweep(keeping: try await service.store.blobs()) > 0)

        signer.failure.change { $0 = nil }
        service.requestedPatches.ask(try request("1.0.0", "1.1.0"))
        await service.requestedPatches.fulfilAll { error in Issue.record(error) }
        #expect(try service.entry()?.current?.patches.map(\.artifact.base?.text) == ["1.0.0"])
        #expect(try await isSigned(service))
        #expect(try await service.ship("1.2.0").arePatchesReady)
        #expect(try service.bases() == ["1.0.0", "1.1.0"])
    }

    @Test func `a release states whether its patches are ready`() async throws {
        let signer = try Signer()
        let service = try await broken(signer, "1.1.0")
        let token = try await service.makeToken(.releaser)
        func isReady(_ method: String, _ body: String? = nil) async throws -> [Bool?] {
            let response = try await service.send(
                TestRequest(
                    method, "/api/v1/apps/default/packages/news/releases",
                    fields: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
                    body: body.map { Array($0.utf8) }))
            let json = JSON(parsing: response.body)
            return (json?["releases"]?.elements ?? [json ?? .null]).map { $0["patchesReady"]?.bool }
        }
        #expect(try await isReady("POST", #"{"version": "1.1.0"}"#) == [false])
        #expect(try await isReady("GET") == [false, nil])
        signer.failure.change { $0 = nil }
        #expect(try await isReady("POST", #"{"version": "1.1.0", "again": true}"#) == [true])
    }

    @Test func `an outside key that fails is not tried for each smaller patch`() async throws {
        let signer = try Signer()
        let service = try await imported(by: signer)
        for version in ["1.1.0", "1.2.0", "1.3.0", "1.4.0"] {
            service.clock.advance(milliseconds: 1)
            let changed = DeltaText.make(UInt64(version.utf8.reduce(0) { $0 + UInt($1) }))
            try await service.publish(
                version, ["index.html": version, "same.js": DeltaText.make(1), "changed.js": changed])
            try await service.release(version)
        }
        signer.failure.change { $0 = broken }
        signer.asked.change { $0 = [] }
        let improver = PatchImprover(
            live: service.live, store: service.store, keys: service.keys, blobs: service.blobs,
            builder: PatchBuilder(
                store: service.store, workshop: ZipWorkshop(), cryptography: service.cryptography,
                work: service.work), clock: service.clock)
        var failures: [PlatformError] = []
        #expect(await improver.improve(try service.app) { failures.append($0) } == 0)
        #expect(failures == [broken] && signer.asked.value.count == 1)
    }

    @Test func `an outside key that fails is not tried for each patch that devices request`() async throws {
        let signer = try Signer()
        let service = try await imported(by: signer)
        for minor in 1...6 {
            service.clock.advance(milliseconds: 1)
            try await service.ship("1.\(minor).0")
        }
        signer.failure.change { $0 = broken }
        signer.asked.change { $0 = [] }
        var failures: [PlatformError] = []
        let demanded = service.requestedPatches
        func ask() async throws {
            for base in ["1.0.0", "1.1.0", "1.2.0"] { demanded.ask(try request(base, "1.6.0")) }
            await demanded.fulfilAll { failures.append($0) }
        }
        for _ in 0..<2 { try await ask() }
        #expect(failures == [broken] && signer.asked.value.count == 1)
        signer.failure.change { $0 = nil }
        service.clock.advance(milliseconds: RequestedPatches.pauseAfterFailure)
        try await ask()
        #expect(signer.asked.value.count == 4)
    }

    @Test func `a key that cannot sign the existing artifacts is refused`() async throws {
        let signer = try Signer()
        let service = try await TestService(outside: signer)
        try await service.ship("1.0.0")
        let (app, before) = (try service.app, try await service.store.keys(of: .default))
        signer.signature.change { $0 = [UInt8](repeating: 1, count: 64) }
        #expect(
            try await code { _ = try await service.keys.importOutside(pem: Self.publicPEM, of: app, by: .server) }
                == .signingFailed)
        #expect(try await service.store.keys(of: .default) == before)
    }

    @Test func `a key that the command does not sign with is refused, even if there are no artifacts`()
        async throws
    {
        let signer = try Signer()
        signer.signature.change { $0 = [UInt8](repeating: 7, count: 64) }
        let service = try await TestService(outside: signer)
        let before = try await service.store.keys(of: .default)
        let app = try service.app
        #expect(
            try await code { _ = try await service.keys.importOutside(pem: Self.publicPEM, of: app, by: .server) }
                == .signingFailed)
        #expect(try await service.store.keys(of: .default) == before)
    }

    @Test func `a private half does not come to the server unnoticed`() async throws {
        let outside = try await imported(by: try Signer())
        let app = try outside.app
        #expect(
            try await code {
                _ = try await outside.keys.importSigning(pem: TestService.signingPEM, of: app, by: .server)
            }
                == .conflict)
    }

    @Test func `a private half does not stay on the server unnoticed`() async throws {
        let inside = try await TestService(outside: try Signer())
        let other = try inside.app
        _ = try await inside.keys.importSigning(pem: TestService.signingPEM, of: other, by: .server)
        #expect(
            try await code { _ = try await inside.keys.importOutside(pem: Self.publicPEM, of: other, by: .server) }
                == .conflict)
    }

    @Test func `without a signing command, no outside key is accepted, and an existing one does not sign`() async throws
    {
        let plain = try await TestService(in: ScratchDirectory.path)
        let app = try plain.app
        #expect(
            try await code { _ = try await plain.keys.importOutside(pem: Self.publicPEM, of: app, by: .server) }
                == .conflict)
        let signer = try Signer()
        let service = try await TestService(in: plain.folder, clock: plain.clock, store: plain.store, outside: signer)
        _ = try await service.keys.importOutside(pem: Self.publicPEM, of: service.app, by: .server)
        let restarted = try await service.restarted()
        #expect(try await code { try await restarted.ship("1.0.0") } == .signingFailed)
    }

    @Test func `a private half is refused in place of a public one`() async throws {
        let service = try await TestService(hasLegacyKey: false, outside: try Signer())
        let app = try service.app
        for pem in [TestService.signingPEM, Array("no key".utf8), try TestService.legacyPair.get().publicPEM] {
            #expect(
                try await code { _ = try await service.keys.importOutside(pem: pem, of: app, by: .server) }
                    == .invalidRequest)
        }
        #expect(
            try await code { _ = try await service.keys.importSigning(pem: Self.publicPEM, of: app, by: .server) }
                == .invalidRequest)
    }
}
