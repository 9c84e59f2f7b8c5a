import Client
import Ground
import Synchronization
import TestKit
import Testing
import Transport

/// Tests a run of a fleet against servers that fail.
struct FleetRunTests {
    private func run(
        _ server: TinyServer, devices: Int = 100, clock: some ClientClock = SystemClientClock(),
        _ change: (inout FleetRun.Options) -> Void = { _ in }
    ) throws -> FleetRun.Outcome {
        var options = FleetRun.Options(base: try HTTPURL(server.base))
        options.connections = 4
        change(&options)
        let plan = try FleetTests.plan(devices: devices, FleetTests.mixed)
        return try FleetRun(plan, options, clock: clock) { HTTPClient() }.run()
    }

    /// Returns the response of a server that stores all reports.
    private static func accept(_ request: TinyServer.Request) -> TinyServer.Reply {
        let count = JSON(parsing: request.body)?.elements?.count ?? 0
        return .response(202, [:], Array(#"{"accepted":\#(count)}"#.utf8))
    }

    private static func ids(_ request: TinyServer.Request) -> [String] {
        (JSON(parsing: request.body)?.elements ?? []).map {
            ($0["deviceId"]?.string ?? "") + " " + ($0["eventId"]?.string ?? "")
        }
    }

    @Test func `requests that are not acknowledged are repeated, and each report counts once`() throws {
        let attempts = Mutex(0)
        let stored = Mutex<[String]>([])
        let server = TinyServer { request in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            switch attempt % 5 {
            case 0: return .response(503, ["Retry-After": "0"])
            case 1: return .response(429, ["Retry-After": "0"])
            case 2: return .response(507)
            case 3:
                // The server stores the reports, and its response is lost.
                stored.withLock { $0 += Self.ids(request) }
                return .raw([])
            default:
                stored.withLock { $0 += Self.ids(request) }
                return Self.accept(request)
            }
        }
        let outcome = try run(server, clock: ManualClientClock())
        let unique = Set(stored.withLock { $0 })
        #expect(outcome.truth.reports == unique.count && outcome.sent > unique.count)
        #expect(outcome.requests * 5 >= outcome.failedAttempts && outcome.failedAttempts > 0)
        #expect(server.requests.allSatisfy { $0.method == "POST" && $0.path == "/report" })
    }

    @Test func `a request has as many reports as a batch, and at most that many are left over in a block`() throws {
        let server = TinyServer(Self.accept)
        let outcome = try run(server) { $0.batch = 7 }
        let sizes = server.requests.map { Self.ids($0).count }
        #expect(sizes.allSatisfy { (1...7).contains($0) } && sizes.count { $0 < 7 } <= 2)
        #expect(sizes.reduce(0, +) == outcome.sent && outcome.requests == sizes.count)
    }

    @Test func `a server that does not store a report ends the run`() throws {
        let server = TinyServer { _ in .response(202, [:], Array(#"{"accepted":49,"ignored":1}"#.utf8)) }
        let failure = try #require(throws: FleetRun.Failure.self) { try run(server) }
        #expect(failure.message.contains("stored 49 of 50") && failure.message.contains("publish"))
    }

    @Test func `a refusal ends the run`() throws {
        let server = TinyServer { _ in .response(404, [:], Array("no such app".utf8)) }
        let failure = try #require(throws: FleetRun.Failure.self) { try run(server) }
        #expect(failure.message.contains("404") && failure.message.contains("no such app"))
    }

    @Test func `a server that acknowledges nothing for two minutes ends the run`() throws {
        let server = TinyServer { _ in .response(503, ["Retry-After": "30"]) }
        let failure = try #require(throws: FleetRun.Failure.self) { try run(server, clock: ManualClientClock()) }
        #expect(failure.message.contains("120 s") && failure.message.contains("503"))
    }

    @Test func `a rate spreads the reports over time`() throws {
        let (server, clock) = (TinyServer(Self.accept), ManualClientClock())
        let outcome = try run(server, clock: clock) {
            $0.connections = 1
            $0.rate = 100
        }
        let seconds = outcome.elapsed / .seconds(1)
        #expect(abs(seconds - Double(outcome.sent) / 100) <= 0.5)
    }

    @Test func `devices report again until the duration is over`() throws {
        let (server, clock) = (TinyServer(Self.accept), ManualClientClock())
        let outcome = try run(server, devices: 10, clock: clock) {
            $0.connections = 1
            $0.rate = 100
            $0.duration = .seconds(10)
        }
        #expect((950...1050).contains(outcome.sent))
        #expect(outcome.truth.rows(of: .counts).values.allSatisfy { ($0[.devices] ?? 0) <= 10 })
    }
}
