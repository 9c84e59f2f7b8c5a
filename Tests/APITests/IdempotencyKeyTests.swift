import Domain
import Ground
import HTTP
import ServiceKit
import Synchronization
import TestKit
import Testing

/// Tests that a request under an `Idempotency-Key` makes its change once, however often it is sent.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct IdempotencyKeyTests: ReleasingSuite {
    private static let tokens = Desk.api + "/tokens"

    private func send(
        _ desk: Desk, _ key: String, _ target: String = Desk.releases, _ body: JSON = .object(["version": "1.0.0"]),
        method: String = "POST", as role: Role = .admin
    ) async throws -> TestResponse {
        try await desk.service.send(
            TestRequest(method, target, body: body.bytes()).by(desk.token(role)).with("Idempotency-Key", key))
    }

    private func releases(_ desk: Desk) async throws -> Int? {
        try await desk.call("GET", Desk.releases).json["releases"]?.elements?.count
    }

    @Test func `a retry gets the response of the first request, also after a restart`() async throws {
        let desk = try await ready("1.0.0")
        let first = try await send(desk, "a")
        #expect(first.status == 201 && first["Idempotency-Replayed"] == nil)
        let next = try await Desk(desk.service.restarted())
        for service in [desk.service, next.service] {
            let request = try TestRequest("POST", Desk.releases, body: JSON.object(["version": "1.0.0"]).bytes())
                .by(desk.token(.admin))
            let retry = try await service.send(request.with("Idempotency-Key", "\"a\""))
            #expect(retry.status == 201 && retry.text == first.text)
            #expect(retry["Location"] == first["Location"] && retry["ETag"] == first["ETag"])
            #expect(retry["Content-Type"] == "application/json")
            #expect(retry["Idempotency-Replayed"] == "true")
        }
        #expect(try await releases(desk) == 1)
    }

    @Test func `a key with another target or body is refused, and another token may use it`() async throws {
        let desk = try await ready("1.0.0")
        #expect(try await send(desk, "a").status == 201)
        for other in [
            try await send(desk, "a", Desk.releases, .object(["version": "1.0.0", "percent": 5])),
            try await send(desk, "a", Desk.releases + "?dryRun=0"),
            try await send(desk, "a", Desk.news + "/versions/1.0.0/retire", .object(["reason": "r"])),
        ] {
            #expect(other.status == 422 && other.code == "idempotency-key-reused", "\(other.text)")
        }
        // The rules forbid an equal release, so the other token's request was carried out.
        #expect(try await send(desk, "a", as: .releaser).code == "release-exists")
        #expect(try await releases(desk) == 1)
    }

    @Test func `a request that changed nothing may be repeated under its key`() async throws {
        let desk = try await ready()
        #expect(try await send(desk, "a").status == 404)
        try await desk.service.publishSample("1.0.0")
        #expect(try await send(desk, "a", Desk.releases + "?dryRun=1").status == 200)
        #expect(try await releases(desk) == 0)
        #expect(try await send(desk, "a").status == 201)
    }

    @Test func `a key is known for 24 hours`() async throws {
        let desk = try await ready("1.0.0")
        #expect(try await send(desk, "a").status == 201)
        desk.service.clock.advance(milliseconds: IdempotencyKey.lifetimeMilliseconds)
        #expect(try await send(desk, "a")["Idempotency-Replayed"] == "true")
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await send(desk, "a").code == "release-exists")
    }

    @Test func `a request whose key is in progress is refused for now`() async throws {
        let desk = try await ready("1.0.0")
        let refusals = Mutex<[String]>([])
        desk.service.store.setBefore(.makeRelease) { () throws(PlatformError) in
            guard let response = try? await self.send(desk, "a") else { return }
            refusals.withLock { $0.append("\(response.code ?? "") \(response["Retry-After"] ?? "")") }
        }
        #expect(try await send(desk, "a").status == 201)
        #expect(refusals.withLock { $0 } == ["idempotency-key-in-use 1"])
        desk.service.store.setBefore(.makeRelease, nil)
        #expect(try await send(desk, "a")["Idempotency-Replayed"] == "true")
    }

    @Test func `a change whose response was lost is not made again`() async throws {
        let desk = try await ready("1.0.0")
        desk.service.store.setBefore(.finishRequest) { () throws(PlatformError) in
            throw PlatformError(.storageUnavailable, "down")
        }
        #expect(try await send(desk, "a").status == 201)
        // Until then another node could be about to record it.
        let change = desk.service.clock.now()
        desk.service.clock.advance(milliseconds: IdempotencyKey.finishingMilliseconds)
        #expect(try await send(desk, "a").code == "idempotency-key-in-use")
        desk.service.clock.advance(milliseconds: 1)
        let retry = try await send(desk, "a")
        #expect(retry.status == 409 && retry.code == "response-not-kept")
        #expect(retry.detail.contains(change.rfc3339))
        #expect(try await releases(desk) == 1)
    }

    @Test func `a response with a secret is not kept`() async throws {
        let desk = try await Desk()
        let body = JSON.object(["name": "ci", "role": "publisher"])
        #expect(try await send(desk, "a", Self.tokens, body).status == 201)
        let retry = try await send(desk, "a", Self.tokens, body)
        #expect(retry.status == 409 && retry.code == "response-not-kept")
        let names = try await desk.call("GET", Self.tokens).json["tokens"]?.elements?.compactMap { $0["name"]?.string }
        #expect(names?.filter { $0 == "ci" } == ["ci"])
        let webhook = JSON.object(["url": .string(Desk.receiver)])
        #expect(try await send(desk, "b", Desk.webhooks, webhook).status == 201)
        #expect(try await send(desk, "b", Desk.webhooks, webhook).status == 409)
    }

    @Test func `a zip is published once under a key`() async throws {
        let desk = try await ready()
        func publish(_ text: String) async throws -> TestResponse {
            let zip = StoredZip(["index.html": text]).bytes
            return try await desk.service.send(
                TestRequest("POST", Desk.news + "/versions?version=1.0.0", body: zip).by(desk.token(.publisher))
                    .with("Content-Type", "application/zip").with("Idempotency-Key", "a").cut(into: 100))
        }
        try await desk.service.putPackage("news")
        let first = try await publish("page")
        #expect(first.status == 201)
        let retry = try await publish("page")
        #expect(retry.status == 201 && retry.text == first.text)
        #expect(try await publish("other").code == "idempotency-key-reused")
    }

    @Test(arguments: [
        ("", false), (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        ("a b", false), ("中", false), ("\"\"", false), ("\"", true), ("!~", true),
    ])
    func `a key has 1 to 255 printable characters`(key: String, isKey: Bool) async throws {
        let desk = try await ready("1.0.0")
        #expect((IdempotencyKey(key) != nil) == isKey)
        let response = try await send(desk, key)
        #expect(response.status == (isKey ? 201 : 400), "\(response.text)")
        #expect(isKey || response.detail.contains("'Idempotency-Key' must be 1 to 255"))
    }

    @Test func `a DELETE that is sent again under its key gets the object, and without one 404`() async throws {
        let desk = try await Desk()
        let channel = Desk.api + "/apps/default/channels/beta"
        #expect(try await desk.call("PUT", channel).status == 201)
        let first = try await delete(desk, "a", channel)
        #expect(first.status == 200)
        let retry = try await delete(desk, "a", channel)
        #expect(retry.status == 200 && retry.text == first.text && retry["Idempotency-Replayed"] == "true")
        #expect(try await desk.call("DELETE", channel).status == 404)
        #expect(try await desk.call("PUT", channel).status == 201)
        #expect(try await delete(desk, "b", channel).status == 200)
    }

    @Test func `the DELETE of an upload ignores a key`() async throws {
        let desk = try await Desk()
        let begun = try await desk.service.send(
            TestRequest("POST", Desk.api + "/uploads").by(desk.token(.admin)).with("Tus-Resumable", "1.0.0")
                .with("Upload-Length", "9"))
        let upload = try #require(begun["Location"]?.split(separator: "/").last)
        func end() async throws -> TestResponse {
            try await desk.service.send(
                TestRequest("DELETE", Desk.api + "/uploads/\(upload)").by(desk.token(.admin)).with(
                    "Tus-Resumable", "1.0.0"
                )
                .with("Idempotency-Key", "a"))
        }
        #expect(try await end().status == 204)
        #expect(try await end().status >= 400)
    }

    private func delete(_ desk: Desk, _ key: String, _ target: String) async throws -> TestResponse {
        try await desk.service.send(
            TestRequest("DELETE", target).by(desk.token(.admin)).with("Idempotency-Key", key))
    }

    @Test func `an upload in parts refuses a key, and a PUT needs none`() async throws {
        let desk = try await ready("1.0.0")
        let upload = try await desk.service.send(
            TestRequest("POST", Desk.api + "/uploads").by(desk.token(.publisher)).with("Tus-Resumable", "1.0.0")
                .with("Upload-Length", "9").with("Idempotency-Key", "a"))
        #expect(upload.status == 400 && upload.detail.contains("needs no 'Idempotency-Key'"))
        for name in ["one", "two"] {
            let put = try await send(desk, "a", Desk.news, .object(["name": .string(name)]), method: "PUT")
            #expect(put.status == 200)
        }
    }

    @Test func `a kill that fails after its version was published may be retried under its key`() async throws {
        let desk = try await ready("1.0.0")
        #expect(try await send(desk, "first").status == 201)
        let kill = JSON.object(["to": "https://m.example.com"])
        desk.service.store.setBefore(.makeRelease) { () throws(PlatformError) in
            throw PlatformError(.storageUnavailable, "down")
        }
        let failed = try await send(desk, "kill", Desk.news + "/kill", kill)
        #expect(failed.status == 503, "\(failed.text)")
        desk.service.store.setBefore(.makeRelease, nil)
        let retry = try await send(desk, "kill", Desk.news + "/kill", kill)
        #expect(retry.status == 201 && retry["Idempotency-Replayed"] == nil, "\(retry.text)")
        #expect(try await send(desk, "kill", Desk.news + "/kill", kill)["Idempotency-Replayed"] == "true")
    }
}
