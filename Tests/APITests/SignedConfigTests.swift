import API
import Artifacts
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests signed `/config` responses (semantics.md §6).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct SignedConfigTests {
    private static let acceptSignature = (name: "Accept-Signature", value: "larder=()")

    private func ask(
        _ service: TestService, _ target: String = "/config", _ fields: (name: String, value: String)...
    ) async throws -> TestResponse {
        try await service.send(TestRequest("GET", target, fields: [Self.acceptSignature] + fields))
    }

    private func shipped() async throws -> TestService {
        let service = try await TestService()
        try await service.ship("1.0.0")
        return service
    }

    /// Returns the keys with valid signatures, by an implementation of RFC 9421 other than the server's.
    private func signers(
        of response: TestResponse, _ service: TestService, app: AppID = .default
    ) async throws -> [KeyID] {
        guard let said = response["Signature-Input"], let values = response["Signature"] else { return [] }
        let digest = Base64.encode(service.cryptography.sha256(response.body).bytes)
        try #require(response["Content-Digest"] == "sha-256=:\(digest):")
        let keys = try await service.store.keys(of: app).filter { $0.purpose == .signing }
        let signatures = try #require(StructuredDictionary(values))
        return try #require(StructuredDictionary(said)).members.compactMap { member in
            guard case .list(let items) = member.item.value, case .bytes(let value)? = signatures[member.key]?.value,
                case .string(let id)? = member.item.parameters["keyid"],
                let key = keys.first(where: { $0.id.text == id })
            else { return nil }
            var base = ""
            for item in items {
                guard case .string(let name) = item.value else { return nil }
                base += "\"\(name)\": \(name == "@status" ? "\(response.status)" : response[name] ?? "-")\n"
            }
            base += "\"@signature-params\": \(member.text)"
            let isGood = service.cryptography.verifyEd25519(value, of: Array(base.utf8), publicKey: key.publicKey)
            return isGood ? key.id : nil
        }
    }

    /// Returns the time of a response's first signature.
    private func beginning(of response: TestResponse) throws -> Timestamp {
        let said = try #require(response["Signature-Input"])
        let part = try #require(said.split(separator: ";").first { $0.hasPrefix("created=") })
        return Timestamp(milliseconds: try #require(Int64(part.dropFirst("created=".count))) * 1000)
    }

    @Test func `a response is signed over its bytes, and has all data to verify the signature`() async throws {
        let service = try await shipped()
        let response = try await ask(service)
        let key = try #require(try await service.store.keys(of: .default).first { $0.purpose == .signing })
        #expect(response.status == 200)
        let created = try beginning(of: response)
        #expect(created <= service.clock.now() && service.clock.now() < created.adding(milliseconds: 1_800_000))
        let second = created.milliseconds / 1000
        #expect(
            response["Signature-Input"] == """
                larder=("@status" "content-digest" "content-type" "etag" "larder-base" "larder-config-version" \
                "larder-cursor");created=\(second);expires=\(second + 3600);keyid="\(key.id)";alg="ed25519";tag="larder-config"
                """)
        #expect(try await signers(of: response, service) == [key.id])
        #expect(response["Larder-Base"] == "default/production" && response["Content-Type"] == "application/json")
        #expect(response["Cache-Control"] == "max-age=0, must-revalidate, s-maxage=30, no-transform")
        #expect(response["Vary"] == "Accept-Signature")
        let exposed = try #require(response["Access-Control-Expose-Headers"])
        for name in ["Content-Digest", "Signature", "Signature-Input", "Larder-Base"] {
            #expect(exposed.contains(name))
        }
        let plain = try await service.get("/config")
        #expect(plain.body == response.body && plain["ETag"] != response["ETag"])
        for name in ["Signature", "Signature-Input", "Content-Digest", "Larder-Base"] { #expect(plain[name] == nil) }
        #expect(plain["Vary"] == "Accept-Encoding, Accept-Signature")
        // The signature is cached.
        let again = try await ask(service)
        #expect(again["Signature"] == response["Signature"] && again["ETag"] == response["ETag"])
    }

    @Test(arguments: [
        ("larder=()", true), ("x=(\"@query\";req);keyid=\"a\";alg=\"rsa-pss-sha512\"", true), ("a=1, b=()", true),
        ("", false), ("a", false), ("a=1", false), ("(", false), ("a=(", false), ("A=()", false),
    ])
    func `any valid value of Accept-Signature requests a signature`(value: String, isSigned: Bool) async throws {
        let response = try await shipped().get("/config", ("Accept-Signature", value))
        #expect(response.status == 200 && (response["Signature"] != nil) == isSigned)
    }

    @Test func `Accept-Signature may have several lines, and the query requests a signature too`() async throws {
        let service = try await shipped()
        let lines = try await service.get("/config", ("Accept-Signature", "a=1"), ("Accept-Signature", "b=()"))
        #expect(lines["Signature"] != nil)
        for (query, isSigned) in [("signed=1", true), ("x=2&signed=1", true), ("signed=0", false), ("signed", false)] {
            let response = try await service.get("/config?\(query)")
            #expect(try await signers(of: response, service).isEmpty == !isSigned, "\(query)")
        }
    }

    @Test func `a signed config is never coded`() async throws {
        let service = try await shipped()
        for _ in 0..<2 {
            let response = try await ask(service, "/config", ("Accept-Encoding", "br, gzip, identity;q=0"))
            #expect(response["Content-Encoding"] == nil)
            #expect(try await signers(of: response, service).count == 1)
        }
    }

    @Test func `a conditional request gets 304 without a signature, and with the fields that caches replace`()
        async throws
    {
        let service = try await shipped()
        let full = try await ask(service)
        let response = try await ask(service, "/config", ("If-None-Match", try #require(full["ETag"])))
        #expect(response.status == 304)
        for name in ["Signature", "Signature-Input", "Content-Digest", "Content-Type"] {
            #expect(response[name] == nil)
        }
        for name in [
            "ETag", "Cache-Control", "Vary", "Larder-Base", "Larder-Config-Version", "Larder-Cursor",
        ] {
            #expect(response[name] == full[name] && response[name] != nil, "\(name)")
        }
        // The same bytes without a signature have another tag.
        let plain = try #require(try await service.get("/config")["ETag"])
        #expect(try await ask(service, "/config", ("If-None-Match", plain)).status == 200)
    }

    @Test func `the bytes under an entity tag never change, and another view has another tag`() async throws {
        let service = try await shipped()
        let first = try await ask(service)
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        let second = try await ask(service)
        #expect(second.body == first.body && second["ETag"] != first["ETag"])
        #expect(second["Larder-Config-Version"] != first["Larder-Config-Version"])
        #expect(try await signers(of: second, service).count == 1)
    }

    @Test(arguments: [(0, false), (1_799_999, false), (1_800_000, true), (-1, true)] as [(Int64, Bool)])
    func `a signature is renewed after half of its time, and if the clock was set back`(
        passed: Int64, isNew: Bool
    ) async throws {
        let service = try await shipped()
        let before = try await ask(service)
        let start = try beginning(of: before).adding(milliseconds: 1_800_000)
        service.clock.set(to: start)
        let first = try await ask(service)
        #expect(try beginning(of: first) == start)
        service.clock.set(to: start.adding(milliseconds: passed))
        let response = try await ask(service, "/config", ("If-None-Match", try #require(first["ETag"])))
        #expect((response.status == 200) == isNew)
        #expect((response["ETag"] != first["ETag"]) == isNew)
        // A new signature within the same half hour is identical.
        #expect((response["ETag"] == before["ETag"]) == (passed < 0))
        if isNew { #expect(try await signers(of: response, service).count == 1) }
    }

    @Test(arguments: [(512, true), (513, false)])
    func `a field that is too long is ignored`(count: Int, isSigned: Bool) async throws {
        let start = "larder=();x=\""
        let value = start + String(repeating: "a", count: count - start.utf8.count - 1) + "\""
        #expect(value.utf8.count == count)
        let response = try await shipped().get("/config", ("Accept-Signature", value))
        #expect(response.status == 200 && (response["Signature"] != nil) == isSigned)
    }

    @Test func `a nearer boundary shortens the caching, and no new signature is made`() async throws {
        let service = try await shipped()
        try await service.publishSample("2.0.0")
        let moment = service.fromNow(100_000)
        try await service.release("2.0.0", at: moment)
        let first = try await ask(service)
        let renewal = try beginning(of: first).adding(milliseconds: 1_800_000)
        for (left, seconds) in [(20_500, 20), (999, 0)] {
            service.clock.set(to: moment.adding(milliseconds: -Int64(left)))
            let response = try await ask(service)
            #expect(
                response["Cache-Control"] == "max-age=0, must-revalidate, s-maxage=\(seconds), no-transform")
            let isSame = service.clock.now() < renewal
            #expect(
                (response["ETag"] == first["ETag"]) == isSame && (response["Signature"] == first["Signature"]) == isSame
            )
        }
    }

    @Test func `a response for a device is private, has its own tag, and is signed`() async throws {
        let service = try await shipped()
        try await service.publishSample("2.0.0")
        let some = Audience(rules: [AudienceRule(.platform, .isIn(["ios"]))])
        try await service.release("2.0.0", to: some)
        for (platform, version) in [("ios", "2.0.0"), ("android", "1.0.0"), ("ios", "2.0.0")] {
            let response = try await ask(service, "/config?deviceId=d&platform=\(platform)")
            #expect(try response.json["news"]?["version"]?.string == version)
            #expect(response["Cache-Control"] == "private, no-cache, no-transform")
            #expect(try await signers(of: response, service).count == 1)
        }
    }

    @Test func `each overlapping key signs, the newest first, and a retired one does not`() async throws {
        let service = try await shipped()
        let first = try await ask(service)
        let old = try #require(try await signers(of: first, service).first)
        let new = try await service.keys.makeSigning(of: service.app, by: .server).id
        let both = try await ask(service)
        #expect(try await signers(of: both, service) == [new, old])
        #expect(both["Signature"]?.contains(", larder2=:") == true)
        _ = try await service.keys.retire(old, of: service.app, by: .server)
        let last = try await ask(service, "/config", ("If-None-Match", try #require(both["ETag"])))
        #expect(last.status == 200)
        #expect(last["Signature-Input"]?.contains(old.text) == false)
        #expect(try await signers(of: last, service) == [new])
    }

    @Test func `a response names its app and channel`() async throws {
        let service = try await shipped()
        let beta = try #require(ChannelName("beta"))
        let shop = try #require(AppID("shop"))
        _ = try await service.catalogue.createApp(shop, by: .server)
        _ = try await service.catalogue.declareChannel(beta, of: service.live.requireApp(shop), by: .server)
        for (base, said) in [("/apps/shop", "shop/production"), ("/apps/shop/channels/beta", "shop/beta")] {
            let response = try await ask(service, base + "/config")
            #expect(response["Larder-Base"] == said)
            #expect(try await signers(of: response, service, app: shop).count == 1)
            #expect(try await signers(of: response, service).isEmpty)
        }
    }

    @Test func `if the keys cannot be read, the response is not signed, and refused if a signature is required`()
        async throws
    {
        let service = try await shipped()
        service.store.setBefore(.keys) { () throws(PlatformError) in
            throw PlatformError(.storageFailed, "The store failed.")
        }
        let response = try await ask(service)
        #expect(response.status == 200 && response["Signature"] == nil && response["ETag"] != nil)
        #expect(try await service.get("/config?signed=1").status == 500)
        service.store.setBefore(.keys, nil)
        #expect(try await ask(service)["Signature"] != nil)
    }

    @Test func `if all keys are outside, the response is not signed, and refused if a signature is required`()
        async throws
    {
        let signer = CountingSigner()
        let service = try await TestService(outside: signer)
        try await service.ship("1.0.0")
        let here = try #require(try await service.store.keys(of: .default).first { $0.purpose == .signing }).id
        _ = try await service.keys.importOutside(pem: CountingSigner.publicPEM, of: service.app, by: .server)
        #expect(try await signers(of: try await ask(service), service) == [here])
        _ = try await service.keys.retire(here, of: service.app, by: .server)
        let count = signer.count.value
        for _ in 0..<2 {
            let response = try await ask(service)
            #expect(response.status == 200 && response["Signature"] == nil && response["Content-Digest"] == nil)
            let refused = try await service.get("/config?signed=1")
            #expect(refused.status == 503 && refused.code == "signing-failed")
            #expect(refused.detail.contains("signed=1") && refused["Access-Control-Allow-Origin"] == "*")
        }
        #expect(signer.count.value == count)
    }
}

/// A signer with a key that the service never sees.
private final class CountingSigner: OutsideSigner {
    let count = Counter()

    /// The public half of ``TestService/signingPEM``, as SubjectPublicKeyInfo.
    static let publicPEM = Array(
        """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
        -----END PUBLIC KEY-----

        """.utf8)

    func sign(_ message: [UInt8], by key: AppKey) throws(PlatformError) -> [UInt8] {
        count.increment()
        let cryptography = OpenSSLCryptography()
        return try cryptography.signEd25519(
            message, privateKey: cryptography.readEd25519Pair(pem: TestService.signingPEM).privateKey)
    }
}
