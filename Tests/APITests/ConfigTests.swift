import API
import Artifacts
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ConfigTests {
    private let hour: Int64 = 3_600_000

    private func config(_ service: TestService, _ target: String = "/config") async throws -> JSON {
        let response = try await service.get(target)
        try #require(response.status == 200)
        return try response.json
    }

    @Test func `K1: without packages the root is an empty object`() async throws {
        let service = try await TestService()
        let response = try await service.get("/config")
        #expect(response.text == "{}")
        #expect(response["Content-Type"] == "application/json")
        // A package without a release offers no update.
        try await service.publishSample("1.0.0")
        #expect(try await service.get("/config").text == "{}")
    }

    @Test func `K1, K2: the root holds only packages, each an object under its id`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0", of: "news")
        try await service.ship("2.0.0", of: "Shop.A_1-b")
        let members = try #require(try await config(service).members)
        #expect(Set(members.map(\.key)) == ["news", "Shop.A_1-b"])
        for member in members {
            #expect(member.value["appId"]?.string == member.key)
            #expect(member.value["name"]?.string == member.key)
        }
    }

    @Test func `K3: enable is a real boolean that follows the package`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        #expect(try await config(service)["news"]?["enable"] == .bool(true))
        try await service.putPackage("news", .init(isEnabled: false))
        let entry = try #require(try await config(service)["news"])
        #expect(entry["enable"] == .bool(false))
        #expect(entry["version"] == "1.0.0")
    }

    @Test func `K5, K6: version is the very string that app.config.json holds`() async throws {
        let service = try await TestService()
        for version in ["10", "1.0.0-rc.1+5"] {
            try await service.ship(version)
            #expect(try await config(service)["news"]?["version"] == .string(version))
            service.clock.advance(milliseconds: 1)
        }
        // A lower version again: a rollback is an update like any other.
        try await service.release("10")
        #expect(try await config(service)["news"]?["version"] == "10")
    }

    @Test func `K7: priority is a number everywhere, and packages come in descending order of priority`() async throws {
        let service = try await TestService()
        for (id, priority) in [("low", -5), ("high", 1_000_000), ("b", 999), ("a", 999)] as [(String, Int64)] {
            try await service.putPackage(id, .init(priority: priority))
            try await service.publishSample("1.0.0", of: id)
        }
        for id in ["low", "high", "b", "a"] { try await service.release("1.0.0", of: id, at: service.fromNow(hour)) }
        try await service.release("1.0.0", of: "b")
        let response = try await service.get("/config")
        // In the order of the text, because parsing sorts members.
        var order: [Substring] = []
        for id in response.text.split(separator: "\"appId\":\"").dropFirst().map({ $0.prefix { $0 != "\"" } })
        where order.last != id {
            order.append(id)
        }
        #expect(order == ["high", "a", "b", "low"])
        for member in try #require(try response.json.members) {
            #expect(member.value["priority"]?.integer != nil, "\(member.key)")
        }
    }

    @Test func `K8, K10: incremental packages by base version, each with all it needs`() async throws {
        let service = try await TestService()
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            try await service.ship(version)
            service.clock.advance(milliseconds: 1)
        }
        let entry = try #require(try await config(service)["news"])
        let incremental = try #require(entry["incrementalPackages"]?.members)
        #expect(Set(incremental.map(\.key)) == ["1.0.0", "1.1.0"])
        for (base, nested) in incremental.map({ ($0.key, $0.value) }) {
            #expect(nested["appId"] == "news" && nested["name"] == "news" && nested["version"] == "1.2.0")
            #expect(nested["enable"] == .bool(true) && nested["priority"] == 999)
            #expect(nested["incrementalPackages"] == .object([JSON.Member]()))
            let url = try #require(nested["url"]?.string)
            #expect(url.hasSuffix("/news-\(base)-1.2.0.zip"))
            let zip = try await download(service, url)
            #expect(try legacySignatureHolds(nested, zip))
        }
    }

    @Test func `K8: without patches incrementalPackages is an empty object`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let entry = try #require(try await config(service)["news"])
        #expect(entry["incrementalPackages"] == .object([JSON.Member]()))
        #expect(entry["patches"] == nil)
    }

    @Test func `K12: the url is absolute and ASCII, whatever the package is called`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(name: "离线包 \"Demo\"\n"))
        try await service.ship("1.0.0+中".filter(\.isASCII))
        let entry = try #require(try await config(service)["news"])
        #expect(entry["name"] == "离线包 \"Demo\"\n")
        let url = try #require(entry["url"]?.string)
        #expect(url.hasPrefix(TestService.publicURL + "/blobs/"))
        #expect(url.hasSuffix("/news-1.0.0%2B.zip"))
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(try await download(service, url).count == Int(try #require(entry["size"]?.integer)))
    }

    @Test func `K13, K14: the signature decrypts to the md5 of the very zip, and is always there`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let entry = try #require(try await config(service)["news"])
        #expect(entry["signature"]?.string?.utf8.count == 344)
        let zip = try await download(service, try #require(entry["url"]?.string))
        #expect(try legacySignatureHolds(entry, zip))
        // The signature is made once and stored, because its padding is random.
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try await config(service)["news"]?["signature"] == entry["signature"])
    }

    @Test func `an entry has the members for newer clients`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(urlPrefix: URLPrefix("/n/")))
        try await service.ship("1.0.0")
        try await service.publishSample("1.1.0")
        let release = try await service.release("1.1.0", isMandatory: true).release
        let entry = try #require(try await config(service)["news"])
        let zip = try await download(service, try #require(entry["url"]?.string))
        #expect(entry["sha256"]?.string == service.cryptography.sha256(zip).hex)
        #expect(entry["layout"] == "app-folder" && entry["entry"] == "index.html" && entry["urlPrefix"] == "/n/")
        #expect(entry["rank"]?.integer == release.rank.value)
        #expect(entry["mandatoryAfter"]?.integer == release.rank.value)
        let artifact = try #require(try service.entry()?.current?.version.full.artifact)
        #expect(entry["tree"]?.string == artifact.tree.hex)
        let patch = try #require(entry["patches"]?.elements?.first)
        #expect(patch["kind"] == "files" && patch["from"] == "1.0.0" && patch["layout"] == "app-folder")
        #expect(patch["tree"] == entry["tree"] && patch["baseTree"] != entry["tree"])
        let bytes = try await download(service, try #require(patch["url"]?.string))
        #expect(patch["size"]?.integer == Int64(bytes.count))
        #expect(patch["sha256"]?.string == service.cryptography.sha256(bytes).hex)
        let keys = try await service.store.keys(of: .default)
        let signing = try #require(keys.first { $0.purpose == .signing })
        let signature = try #require(entry["signatures"]?.elements?.first)
        #expect(signature["keyId"]?.string == signing.id.text)
        let value = try #require(signature["value"]?.string.flatMap(Base64.decode))
        #expect(service.cryptography.verifyEd25519(value, of: artifact.signedBytes, publicKey: signing.publicKey))
    }

    @Test func `a package before its first activation is not enabled, and names the scheduled version`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let moment = service.fromNow(hour)
        try await service.release("1.0.0", at: moment)
        let entry = try #require(try await config(service)["news"])
        #expect(entry["enable"] == .bool(false))
        #expect(entry["priority"] == 999)
        #expect(entry["url"] == nil && entry["version"] == nil)
        let next = try #require(entry["next"])
        #expect(next["activeTime"]?.string == moment.rfc3339)
        #expect(next["version"] == "1.0.0" && next["enable"] == .bool(true))
        #expect(try legacySignatureHolds(next, try await download(service, try #require(next["url"]?.string))))
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        let active = try #require(try await config(service)["news"])
        #expect(active["enable"] == .bool(true) && active["next"] == nil && active["version"] == "1.0.0")
    }

    @Test func `a scheduled version is listed beside the current one, with its own patches`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        try await service.release("2.0.0", at: service.fromNow(hour))
        let entry = try #require(try await config(service)["news"])
        #expect(entry["version"] == "1.0.0" && entry["activeTime"] == nil)
        #expect(entry["next"]?["version"] == "2.0.0")
        #expect(entry["next"]?["incrementalPackages"]?["1.0.0"]?["url"] != nil)
    }

    @Test func `unknown query parameters and an unknown cursor do not change the response`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let plain = try await service.get("/config")
        for query in ["?", "?t=1234567890", "?_=1&x", "?cursor=garbage", "?cursor=00.99", "?%zz=%", "?&&=&"] {
            let response = try await service.get("/config" + query)
            #expect(response.status == 200 && response.body == plain.body, "\(query)")
            #expect(response["ETag"] == plain["ETag"])
        }
    }

    @Test func `apps and channels have bases of their own`() async throws {
        let service = try await TestService()
        let shop = try #require(AppID("shop"))
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.createApp(shop, by: .server)
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        try await service.release("2.0.0", on: beta)
        #expect(try await config(service, "/config")["news"]?["version"] == "1.0.0")
        #expect(try await config(service, "/apps/default/config")["news"]?["version"] == "1.0.0")
        #expect(try await config(service, "/apps/default/channels/production/config")["news"]?["version"] == "1.0.0")
        #expect(try await config(service, "/apps/default/channels/beta/config")["news"]?["version"] == "2.0.0")
        #expect(try await config(service, "/apps/shop/config").members?.isEmpty == true)
    }

    @Test(arguments: [
        ("/apps/none/config", "app-not-found"), ("/apps/NONE/config", "app-not-found"),
        ("/apps/default/channels/none/config", "channel-not-found"),
        ("/apps/default/channels/NO_NE/config", "channel-not-found"),
        ("/apps/none/channels/none/push", "app-not-found"),
        ("/apps/default/channels/none/push", "channel-not-found"), ("/apps/none/report", "app-not-found"),
        ("/apps/default/channels/none/report", "channel-not-found"), ("/apps/none/keys.json", "app-not-found"),
        ("/apps/default/channels/none/keys.json", "channel-not-found"),
    ])
    func `an unknown base is 404, and never an empty audience`(target: String, code: String) async throws {
        let response = try await TestService().get(target)
        #expect(response.status == 404)
        #expect(response.code == code)
        #expect(response["Access-Control-Allow-Origin"] == "*")
    }

    @Test func `each legacy key has a base URL, at which its signatures are listed`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.ship("1.1.0")
        let pairs = [try TestService.legacyPair.get(), try service.cryptography.makeLegacyPair()]
        let first = try #require(try service.view().legacyKeys.first)
        let second = try await service.keys.importLegacy(pem: pairs[1].publicPEM, of: service.app, by: .server).id
        func signer(_ base: String) async throws -> [Int] {
            let entry = try #require(try await service.get("\(base)/config").json["news"])
            let zip = try await download(service, try #require(entry["url"]?.string))
            let patch = try #require(entry["incrementalPackages"]?["1.0.0"])
            let patchZip = try await download(service, try #require(patch["url"]?.string))
            return try pairs.indices.filter { index in
                let isOfArchive = try legacySignatureHolds(entry, zip, pairs[index])
                #expect(try legacySignatureHolds(patch, patchZip, pairs[index]) == isOfArchive)
                return isOfArchive
            }
        }
        // Clients with the former key see no change.
        for base in ["", "/apps/default", "/apps/default/channels/production", "/apps/default/legacy/\(first)"] {
            #expect(try await signer(base) == [0], "\(base)")
        }
        for base in ["/apps/default/legacy/\(second)", "/apps/default/legacy/\(second)/channels/production"] {
            #expect(try await signer(base) == [1], "\(base)")
            for path in ["/push", "/keys.json", "/report"] {
                #expect(try await service.get(base + path).status < 300, "\(base + path)")
            }
        }
        service.clock.advance(milliseconds: 1)
        _ = try await service.keys.retire(first, of: service.app, by: .server)
        #expect(try await signer("") == [1])
        let gone = try await service.get("/apps/default/legacy/\(first)/config")
        #expect(gone.status == 404 && gone.code == "key-not-found")
        #expect(try await service.get("/apps/default/legacy/zz/config").code == "key-not-found")
    }

    /// Downloads a URL of a response from the service itself.
    private func download(_ service: TestService, _ url: String) async throws -> [UInt8] {
        try #require(url.hasPrefix(TestService.publicURL))
        let response = try await service.get(String(url.dropFirst(TestService.publicURL.count)))
        try #require(response.status == 200)
        return response.body
    }

    /// Verifies like seed 000's client: decrypts with the private key and compares with the MD5 of the bytes.
    private func legacySignatureHolds(_ entry: JSON, _ zip: [UInt8], _ own: LegacyPair? = nil) throws -> Bool {
        let signature = try #require(entry["signature"]?.string.flatMap(Base64.decode))
        var md5 = try MD5Hasher()
        zip.withUnsafeBytes { md5.update($0) }
        let pair = try own ?? TestService.legacyPair.get()
        return try LegacySignature.holds(
            signature, md5: md5.finish(), privatePEM: try #require(pair.privatePEM))
    }
}
