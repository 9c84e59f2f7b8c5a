import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PresetRouteTests {
    private let presets = "/api/v1/apps/default/presets"

    @Test func `a preset is made, shown, listed and forgotten`() async throws {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        let body: JSON = .object(["appVersion": "8.3.0", "packages": .object(["news": "1.0.0"])])
        let made = try await desk.call("POST", presets, body)
        #expect(made.status == 201)
        #expect(try made.json["packages"]?["news"] == "1.0.0")
        #expect(try await desk.call("POST", presets, body).status == 200)
        #expect(try await desk.call("GET", presets + "/8.3.0").json == (try made.json))
        #expect(try await desk.call("GET", presets).json["presets"]?.elements == [try made.json])
        #expect(try await desk.call("DELETE", presets + "/8.3.0").status == 200)
        for method in ["GET", "DELETE"] {
            let gone = try await desk.call(method, presets + "/8.3.0")
            #expect(gone.status == 404 && gone.code == "preset-not-found")
        }
        #expect(try await desk.call("GET", presets).json["presets"]?.elements == [])
    }

    @Test func `the zip is packed whole for each request`() async throws {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        let body: JSON = .object(["appVersion": "8.3.0", "packages": .object(["news": "1.0.0"])])
        _ = try await desk.call("POST", presets, body)
        let zip = try await desk.call("GET", presets + "/8.3.0/archive")
        #expect(zip.status == 200 && zip["Content-Type"] == "application/zip")
        #expect(zip["Cache-Control"] == "no-store" && zip["Content-Disposition"] == "attachment")
        #expect(zip.body.starts(with: Array("PK".utf8)))
        #expect(try await desk.call("GET", presets + "/8.3.0/archive?format=seed").status == 400)
        #expect(try await desk.call("GET", presets + "/8.3.0/archive?format=other").status == 400)
    }

    @Test(
        arguments: [
            ["appVersion": ""], [:], ["appVersion": "8", "packages": .object([JSON.Member]())],
            ["appVersion": "8", "packages": .object(["news": 1])],
            ["appVersion": "8", "packages": .object(["a b": "1"])],
            ["appVersion": "8", "package": "news"],
        ] as [KeyValuePairs<String, JSON?>])
    func `an invalid preset is refused with a remedy`(members: KeyValuePairs<String, JSON?>) async throws {
        let desk = try await Desk()
        let response = try await desk.call("POST", presets, .object(members))
        #expect(response.status == 400 && response.code == "invalid-request")
    }
}
