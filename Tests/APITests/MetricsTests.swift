import API
import Domain
import HTTP
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory)
struct MetricsTests {
    @Test func `the metrics require a token`() async throws {
        let desk = try await Desk(TestService())
        #expect(try await desk.service.get("/metrics").status == 401)
        let response = try await desk.call("GET", "/metrics", as: .publisher)
        #expect(response.status == 200)
        #expect(response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test func `responses are counted by method, pattern and status, and durations in cumulative buckets`() async throws
    {
        let desk = try await Desk(TestService())
        let names = desk.service.application.routes
        let config = try #require(names.firstIndex(of: "GET /apps/{app}/config"))
        var traffic = Traffic(routes: names.count)
        traffic.routes[config].note(status: 304, bytes: 200, nanoseconds: 250_001)
        traffic.routes[config].note(status: 200, bytes: 1_000, nanoseconds: 100_000)
        traffic.routes[config].note(status: 200, bytes: 1_000, nanoseconds: 90_000_000_000)
        traffic.connections = 7
        desk.service.traffic.set(traffic)
        let lines = try await desk.call("GET", "/metrics", as: .publisher).text.split(separator: "\n").map(String.init)
        let labels = #"method="GET",route="/apps/{app}/config""#
        for line in [
            "larder_http_requests_total{\(labels),status=\"200\"} 2",
            "larder_http_requests_total{\(labels),status=\"304\"} 1",
            "larder_http_response_bytes_total{\(labels)} 2200",
            "larder_http_request_duration_seconds_bucket{\(labels),le=\"0.0001\"} 1",
            "larder_http_request_duration_seconds_bucket{\(labels),le=\"0.00025\"} 1",
            "larder_http_request_duration_seconds_bucket{\(labels),le=\"0.0005\"} 2",
            "larder_http_request_duration_seconds_bucket{\(labels),le=\"60\"} 2",
            "larder_http_request_duration_seconds_bucket{\(labels),le=\"+Inf\"} 3",
            "larder_http_request_duration_seconds_sum{\(labels)} 90.00035",
            "larder_http_request_duration_seconds_count{\(labels)} 3",
            "larder_connections 7",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.contains("/apps/{app}/keys.json") })
    }

    @Test func `every route has a name of its own`() async throws {
        let names = try await TestService().application.routes
        #expect(names.first == "none")
        #expect(Set(names).count == names.count)
        #expect(names.contains("GET /metrics"))
    }
}
