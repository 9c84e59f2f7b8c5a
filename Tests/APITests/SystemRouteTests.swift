import Domain
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct SystemRouteTests {
    @Test func `the state of the server has its figures, and no secret`() async throws {
        let desk = try await Desk()
        let started = desk.service.clock.now().rfc3339
        desk.service.clock.advance(milliseconds: 60_000)
        desk.service.traffic.set(Self.traffic)
        let response = try await desk.call("GET", Desk.api + "/system")
        let json = try response.json
        #expect(response.status == 200 && json["version"] == "1.2.3")
        #expect(json["startedAt"]?.string == started)
        #expect(json["now"]?.string == desk.service.clock.now().rfc3339)
        #expect(json["database"]?.text == #"{"kind":"sqlite","schema":1,"snapshotAge":0}"#)
        #expect(json["data"]?.text == #"{"freeBytes":1,"path":"/data","totalBytes":2}"#)
        #expect(json["blobs"]?.text == #"{"bytes":0,"files":0}"#)
        #expect(json["certificate"]?.text == #"{"expiresAt":"2027-01-15T08:00:00Z"}"#)
        try await desk.service.publishSample("1.0.0")
        let blobs = try await desk.call("GET", Desk.api + "/system").json["blobs"]
        #expect((blobs?["files"]?.integer ?? 0) > 0 && (blobs?["bytes"]?.integer ?? 0) > 0)
        #expect(json["connections"]?["open"] == 3 && json["connections"]?["waiting"] == 2)
        #expect(json["limits"]?.text == #"[{"name":"max-upload-bytes","unit":"bytes","value":1000}]"#)
        for key in ["blobCache", "spooledReports", "node"] { #expect(json[key] == .null) }
    }

    private static let traffic: Traffic = {
        var traffic = Traffic(routes: 0)
        traffic.connections = 3
        traffic.waiting = 2
        return traffic
    }()
}
