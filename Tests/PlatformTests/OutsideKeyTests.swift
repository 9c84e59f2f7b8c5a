import Artifacts
import Domain
import Platform
import ServiceKit
import TestKit
import Testing

/// Signing keys whose private halves are not on the server.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct OutsideKeyTests {
    /// Signs with a key that the service never sees, or does what a test has it do.
    private final class Signer: OutsideSigner {
        let privateKey: [UInt8]
        let asked = Shared<[String]>([])
        let answer = Shared<[UInt8]?>(nil)
        let failure = Shared<PlatformError?>(nil)

        init() throws {
            privateKey = try OpenSSLCryptography().readEd25519Pair(pem: TestService.signingPEM).privateKey
        }

        func sign(_ message: [UInt8], by key: AppKey) throws(PlatformError) -> [UInt8] {
            asked.change { $0.append("\(key.app) \(key.purpose.rawValue) \(key.id)") }
            if let failure = failure.value { throw failure }
            if let answer = answer.value { return answer }
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

    /// Whether what is on offer is signed by the key that is outside, patches included.
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

    @Test func `a key by its public half alone signs what is there and what comes`() async throws {
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

    @Test func `where it does not sign, nothing is published, and nothing is lost`() async throws {
        let signer = try Signer()
        let service = try await imported(by: signer)
        let before = try await service.store.versions(of: news, in: .default).count
        signer.failure.change { $0 = broken }
        #expect(try await code { try await service.ship("1.1.0") } == .signingFailed)
        signer.failure.change { $0 = nil }
        // What is no signature by that key is none.
        for answer in [[], [UInt8](repeating: 0, count: 64)] {
            signer.answer.change { $0 = answer }
            #expect(try await code { try await service.ship("1.1.0") } == .signingFailed)
        }
        #expect(try await service.store.versions(of: news, in: .default).count == before)
        #expect(try service.entry()?.current?.version.version.text == "1.0.0")
        signer.answer.change { $0 = nil }
        try await service.ship("1.1.0")
        #expect(try await isSigned(service))
    }

    @Test func `a key that cannot sign what is there is not taken`() async throws {
        let signer = try Signer()
        let service = try await TestService(outside: signer)
        try await service.ship("1.0.0")
        let (app, before) = (try service.app, try await service.store.keys(of: .default))
        signer.answer.change { $0 = [UInt8](repeating: 1, count: 64) }
        #expect(
            try await code { _ = try await service.keys.importOutside(pem: Self.publicPEM, of: app, by: .server) }
                == .signingFailed)
        #expect(try await service.store.keys(of: .default) == before)
    }

    @Test func `a key that the command does not sign with is not taken, where there is nothing to sign as well`()
        async throws
    {
        let signer = try Signer()
        signer.answer.change { $0 = [UInt8](repeating: 7, count: 64) }
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

    @Test func `without anything that signs, none is taken, and one that is there does not sign`() async throws {
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

    @Test func `a private half is not taken for a public one`() async throws {
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
