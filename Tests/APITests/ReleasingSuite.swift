import Domain
import Ground
import ServiceKit
import TestKit
import Testing

extension Desk {
    /// The path of the releases of `news`.
    static let releases = news + "/releases"
}

/// The tests that release versions of `news` and check the versions of devices.
protocol ReleasingSuite {}

extension ReleasingSuite {
    func ready(_ versions: String...) async throws -> Desk {
        let desk = try await Desk()
        for version in versions { try await desk.service.publishSample(version) }
        return desk
    }

    /// Creates a release and returns its path.
    func make(_ desk: Desk, _ members: KeyValuePairs<String, JSON?>) async throws -> String {
        let response = try await desk.call("POST", Desk.releases, .object(members))
        #expect(response.status == 201, "\(response.text)")
        return "\(Desk.releases)/\(try #require(try response.json["id"]?.integer))"
    }

    func version(_ desk: Desk, _ query: String = "") async throws -> String? {
        try await desk.service.get("/config" + query).json["news"]?["version"]?.string
    }
}
