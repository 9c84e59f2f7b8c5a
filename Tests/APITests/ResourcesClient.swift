import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// A response as a client of seed 004 reads it.
struct ResourcesResponse {
    let json: JSON

    struct Item {
        let json: JSON

        var id: String { json["resourceID"]?.string ?? "" }
        var number: Int64 { json["version"]?.integer ?? -1 }
        var name: String { "\(id)-\(number)" }
        var url: String { json["downUrl"]?.string ?? "" }
        var diff: String? { json["diff"]?.string }
    }

    var version: String { json["version"]?.string ?? "" }
    var items: [Item] { (json["resourceList"]?.elements ?? []).map(Item.init) }
    /// The names `<resourceID>-<version>` in order.
    var names: [String] { items.map(\.name) }
    /// The names of the resources with a patch.
    var patched: [String] { items.filter { $0.diff != nil }.map(\.name) }

    /// Returns the first item with an id, in its coming version.
    func item(_ id: String) throws -> Item { try #require(items.first { $0.id == id }, "\(json.text)") }

    /// Returns the resources in use at an instant: for each the first active item, like clients.
    func inUse(at now: Timestamp) throws -> [String] {
        var names: [String: String] = [:]
        for item in items {
            let activeTime = try #require(item.json["activeTime"]?.string.flatMap { Timestamp(rfc3339: $0) })
            if activeTime <= now, names[item.id] == nil { names[item.id] = item.name }
        }
        return names.values.sorted()
    }
}

extension TestService {
    /// Returns a service with the package `app` and the dialect of seed 004.
    static func withResources(_ settings: ResourceSettings? = nil) async throws -> TestService {
        let service = try await TestService()
        try await service.putPackage(
            "app", .init(urlPrefix: URLPrefix("/news/"), dialects: [.resourcesJSON], resources: settings))
        return service
    }

    /// Publishes a version of `app` with a page and a script, and releases it.
    @discardableResult
    func shipText(
        _ version: String, _ script: String? = nil, at activeTime: Timestamp? = nil, isMandatory: Bool = false
    ) async throws -> Release {
        try await publish(
            version, of: "app", ["index.html": "<p>page", "js/app.js": script ?? "let version = '\(version)'\n"])
        return try await release(version, of: "app", at: activeTime, isMandatory: isMandatory).release
    }

    func resources(
        _ version: String? = nil, at base: String = "/packages/app"
    ) async throws -> ResourcesResponse {
        let response = try await get(base + "/resources.json" + (version.map { "?version=\($0)" } ?? ""))
        try #require(response.status == 200, "\(response.status) \(response.text)")
        return ResourcesResponse(json: try response.json)
    }

    /// Downloads the bytes of a resource.
    func download(_ item: ResourcesResponse.Item) async throws -> [UInt8] {
        try #require(item.url.hasPrefix(Self.publicURL + "/"))
        let response = try await get(String(item.url.dropFirst(Self.publicURL.count)))
        #expect(response.status == 200)
        return response.body
    }
}
