import API
import Domain
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RateLimitTests {
    private let elapsed = Shared(Duration.seconds(1_000))

    /// Returns a service that permits one request a second, with bursts of four for operators and of ten for reports.
    private func makeDesk(_ limits: RateLimits? = nil) async throws -> Desk {
        let elapsed = elapsed
        return try await Desk(
            TestService(
                rateLimits: limits ?? RateLimits(operatorsPerSecond: 1, reportsPerSecond: 1),
                elapsed: { elapsed.value }))
    }

    private func address(_ text: String) throws -> PeerAddress { try #require(PeerAddress(text[...])) }

    /// Returns the number of these requests that were admitted.
    private func passed(_ count: Int, _ desk: Desk, _ request: TestRequest) async throws -> Int {
        var passed = 0
        for _ in 0..<count where try await desk.service.send(request).status != 429 { passed += 1 }
        return passed
    }

    // MARK: Operators

    @Test func `an address that exceeds its rate gets the time to retry`() async throws {
        let desk = try await makeDesk()
        let ask = try TestRequest("GET", "/api/v1/apps").by(desk.token(.admin)).from(address("192.0.2.1"))
        #expect(try await passed(4, desk, ask) == 4)
        let refused = try await desk.service.send(ask)
        #expect(refused.status == 429)
        #expect(refused.code == "rate-limited")
        #expect(refused["Content-Type"] == "application/problem+json")
        #expect(refused["Retry-After"] == "1")
        #expect(refused["Access-Control-Allow-Origin"] == nil)
        elapsed.change { $0 += .milliseconds(999) }
        #expect(try await desk.service.send(ask).status == 429)
        elapsed.change { $0 += .milliseconds(1) }
        #expect(try await passed(2, desk, ask) == 1)
    }

    @Test func `the limit applies before a token is looked up, and before a byte of the body is read`() async throws {
        let desk = try await makeDesk()
        let lookups = Counter()
        desk.service.store.setBefore(.token) { () throws(PlatformError) in lookups.increment() }
        for number in 0..<10 {
            let request = TestRequest("PUT", "/api/v1/apps/shop", body: Array("{}".utf8)).by("wrong \(number)")
            let response = try await desk.service.send(request)
            #expect(response.status == (number < 4 ? 401 : 429))
            #expect(response.isBodyUntouched)
        }
        #expect(lookups.value == 4)
    }

    @Test func `a token has its limit from wherever it is used`() async throws {
        let desk = try await makeDesk()
        let ask = try TestRequest("GET", "/api/v1/apps").by(desk.token(.admin))
        var statuses: [Int] = []
        for number in 1...5 {
            statuses.append(try await desk.service.send(ask.from(address("192.0.2.\(number)"))).status)
        }
        #expect(statuses == [200, 200, 200, 200, 429])
        let other = try TestRequest("GET", "/api/v1/apps").by(desk.token(.publisher)).from(address("192.0.2.6"))
        #expect(try await desk.service.send(other).status == 200)
    }

    @Test func `addresses of one network of IPv6 count as one, and so do peers without an address`() async throws {
        let desk = try await makeDesk()
        let ask = TestRequest("GET", "/api/v1/apps")
        #expect(try await passed(3, desk, ask.from(address("2001:db8::1"))) == 3)
        #expect(try await passed(3, desk, ask.from(address("2001:db8::ffff:2"))) == 1)
        #expect(try await passed(3, desk, ask.from(address("2001:db8:0:1::1"))) == 3)
        #expect(try await passed(9, desk, ask.from(.local)) == 4)
        #expect(try await passed(9, desk, ask.from(address("127.0.0.1"))) == 4)
    }

    @Test func `the figures are an operators' route`() async throws {
        let desk = try await makeDesk()
        #expect(try await passed(9, desk, TestRequest("GET", "/metrics")) == 4)
    }

    // MARK: Reports

    @Test(arguments: ["GET", "HEAD", "POST"])
    func `reports have a limit of their own, and pages can read that it is reached`(method: String) async throws {
        let desk = try await makeDesk()
        let report = TestRequest(method, "/apps/default/report", body: method == "POST" ? Array("{}".utf8) : nil)
        #expect(try await passed(10, desk, report) == 10)
        let refused = try await desk.service.send(report)
        #expect(refused.status == 429)
        #expect(refused.isBodyUntouched)
        #expect(refused["Retry-After"] == "1")
        #expect(refused["Access-Control-Allow-Origin"] == "*")
        #expect(refused["Access-Control-Expose-Headers"]?.contains("Retry-After") == true)
        #expect(try await desk.service.send(TestRequest("OPTIONS", "/report")).status == 204)
        #expect(try await passed(4, desk, TestRequest("GET", "/api/v1/apps")) == 4)
    }

    // MARK: Everything else

    @Test func `no check for updates and no download is ever held back`() async throws {
        let desk = try await makeDesk()
        let service = desk.service
        try await service.ship("1.0.0")
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        let blob = String(url.dropFirst(TestService.publicURL.count))
        var heldBack: Set<String> = []
        for _ in 0..<300 {
            for target in [
                "/config", "/apps/default/config?deviceId=d", "/apps/default/channels/production/config", "/push",
                "/keys.json", blob, "/healthz", "/readyz", "/console/nothing", "/nowhere",
            ] where try await service.get(target).status == 429 {
                heldBack.insert(target)
            }
        }
        #expect(heldBack == [])
    }

    @Test func `a limit of zero means no limit`() async throws {
        let desk = try await makeDesk(.off)
        #expect(try await passed(1_000, desk, TestRequest("GET", "/api/v1/apps")) == 1_000)
        #expect(try await passed(1_000, desk, TestRequest("GET", "/report")) == 1_000)
    }
}

struct RateLimiterTests {
    private let elapsed = Shared(Duration.zero)

    private func makeLimiter(capacity: Int) -> RateLimiter<Int> {
        let elapsed = elapsed
        return RateLimiter(TokenBucket.Rate(perSecond: 1, burst: 1), elapsed: { elapsed.value }, capacity: capacity)
    }

    private func isAdmitted(_ key: Int, _ limiter: RateLimiter<Int>) -> Bool {
        do throws(PlatformError) { try limiter.admit(key) } catch { return false }
        return true
    }

    @Test func `a bounded number of keys is remembered, the most recently seen ones`() {
        let limiter = makeLimiter(capacity: 100)
        var most = 0
        for key in 0..<10_000 {
            _ = isAdmitted(key, limiter)
            most = max(most, limiter.count)
        }
        #expect(most == 100)
        #expect(!isAdmitted(9_999, limiter))
        #expect(!isAdmitted(9_950, limiter))
        #expect(isAdmitted(0, limiter))
    }

    @Test func `a client that keeps sending requests keeps its entry`() {
        let limiter = makeLimiter(capacity: 100)
        #expect(isAdmitted(-1, limiter))
        var admissions = 0
        for key in 0..<10_000 {
            _ = isAdmitted(key, limiter)
            if key.isMultiple(of: 40), isAdmitted(-1, limiter) { admissions += 1 }
        }
        #expect(admissions == 0)
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .milliseconds(999)])
    func `the time to retry is in whole seconds, and at least one`(moment: Duration) {
        let limiter = makeLimiter(capacity: 100)
        #expect(isAdmitted(1, limiter))
        elapsed.change { $0 = moment }
        let error = #expect(throws: PlatformError.self) { try limiter.admit(1) }
        #expect(error?.retryAfter == 1)
    }
}
