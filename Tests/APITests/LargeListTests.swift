import API
import Dialects
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests `resources.json` and `info.json` with thousands of files.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct LargeListTests {
    /// Returns a service with one package with long lists and one with short lists.
    private func service() async throws -> TestService {
        let service = try await TestService()
        let files = (0..<1400).map { number -> (path: String, content: [UInt8]) in
            let name = String(repeating: "long", count: 48) + String(number)
            return ("\(name).js", Array("\(number)".utf8))
        }
        let page: [(path: String, content: [UInt8])] = [("index.html", [1])]
        for id in ["large", "small"] {
            try await service.putPackage(id, .init(dialects: [.resourcesJSON, .infoJSON]))
            try await service.publish("1.0", of: id, zip: StoredZip(id == "large" ? page + files : page).bytes)
            try await service.release("1.0", of: id)
        }
        return service
    }

    /// Whether a response is prepared when the request arrives.
    private func isReady(
        _ method: String, _ target: String, _ fields: [(name: String, value: String)] = [], at service: TestService
    ) throws -> Bool {
        let head = try TestRequest(method, target, fields: fields).head
        if case .prepared = service.application.decide(head).disposition { return true }
        return false
    }

    @Test(arguments: ["resources.json", "info.json"])
    func `a long list is made once, for GET, HEAD and conditions`(list: String) async throws {
        let service = try await service()
        let target = "/packages/large/\(list)"
        #expect(try !isReady("GET", target, at: service))
        let response = try await service.get(target)
        #expect(response.status == 200)
        #expect(response.body.count > (list == "info.json" ? 256 : 512) << 10)
        let etag = try #require(response["ETag"])
        #expect(try isReady("GET", target, at: service))
        #expect(try isReady("HEAD", target, at: service))
        #expect(try isReady("GET", target, [("If-None-Match", etag)], at: service))
        #expect(try await service.get(target).body == response.body)
    }

    @Test func `a list of one package holds up no other package while it is made`() async throws {
        let service = try await service()
        let (isMaking, isOpen) = (Barrier(count: 2), Barrier(count: 2))
        service.store.setBefore(.version) { [service] () throws(PlatformError) in
            service.store.setBefore(.version, nil)
            await isMaking.arrive()
            await isOpen.arrive()
        }
        let large = Task { try await service.get("/packages/large/info.json").status }
        await isMaking.arrive()
        #expect(try await service.get("/packages/small/info.json").status == 200)
        await isOpen.arrive()
        #expect(try await large.value == 200)
    }

    @Test func `a list over the budget answers HEAD and conditional requests from its head`() throws {
        let body = [UInt8](repeating: 0x61, count: 100)
        let resource = PreparedResource(CodedBody(body), etagName: "abc", fields: [:])
        func head(_ method: String, _ fields: (name: String, value: String)...) throws -> RequestHead {
            try TestRequest(method, "/", fields: fields).head
        }
        let fits = ReadyLists<Int>(budget: 200)
        fits.keep(resource, of: CodedBody(body), under: 1)
        #expect(fits.respond(to: try head("GET"), for: 1)?.status == .ok)
        let tooSmall = ReadyLists<Int>(budget: 199)
        tooSmall.keep(resource, of: CodedBody(body), under: 1)
        #expect(tooSmall.respond(to: try head("GET"), for: 1) == nil && tooSmall.find(1) == nil)
        #expect(tooSmall.respond(to: try head("HEAD"), for: 1)?.status == .ok)
        #expect(tooSmall.respond(to: try head("GET", ("If-None-Match", "\"abc\"")), for: 1)?.status == .notModified)
        #expect(tooSmall.respond(to: try head("HEAD"), for: 2) == nil)
    }

    @Test func `1,024 heads are kept, those of the last requested lists`() throws {
        let lists = ReadyLists<Int>(budget: 2)
        let body = CodedBody([1, 2, 3])
        let resource = PreparedResource(body, etagName: "abc", fields: [:])
        let head = try TestRequest("HEAD", "/").head
        for key in 0..<ReadyLists<Int>.keptHeads { lists.keep(resource, of: body, under: key) }
        #expect(lists.respond(to: head, for: 0) != nil)
        for key in 2000..<4000 { lists.keep(resource, of: body, under: key) }
        #expect(lists.respond(to: head, for: 0) == nil && lists.respond(to: head, for: 3999) != nil)
    }
}
