import Artifacts
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// The requests of clients of seeds 002 and 003, and their handling of responses.
extension TestService {
    /// Returns a service with the package `app` and its dialects.
    static func withDialects(
        _ dialects: Set<Dialect>, newestPackageAt: String? = nil, contentURL: String? = nil
    ) async throws -> TestService {
        let service = try await TestService(contentURL: contentURL, newestPackageAt: newestPackageAt)
        try await service.putPackage("app", .init(dialects: dialects))
        return service
    }

    /// Publishes a version of `app` with a page and a script, and releases it.
    @discardableResult
    func shipApp(
        _ version: String, on channel: ChannelName = .production, at activeTime: Timestamp? = nil
    ) async throws -> Release {
        try await publishApp(version)
        return try await release(version, of: "app", on: channel, at: activeTime).release
    }

    func publishApp(_ version: String) async throws {
        try await publish(version, of: "app", ["index.html": "<p>\(version)", "js/app.js": "'\(version)'"])
    }

    func askNewest(
        _ body: String = #"{"packageId":"app"}"#, at base: String = "", type: String = "application/json"
    ) async throws -> TestResponse {
        try await send(
            TestRequest("POST", base + "/getNewestPackage", fields: [("Content-Type", type)], body: Array(body.utf8)))
    }

    /// Returns the target on this server of a response's `path`.
    func target(ofPathIn response: TestResponse) throws -> String {
        let path = try #require(try response.json["path"]?.string, "\(response.text)")
        try #require(path.hasPrefix(TestService.publicURL + "/"))
        return String(path.dropFirst(TestService.publicURL.count))
    }

    /// Returns the files of a zip by path.
    func unzip(_ zip: [UInt8]) throws -> [String: String] {
        let staging = try blobs.stage()
        defer { staging.discard() }
        let upload = try staging.newScratch()
        try upload.append(zip)
        let tree = try ZipWorkshop().unpack(zipAt: upload.path, limits: PackageLimits(), into: staging)
        return try Dictionary(
            uniqueKeysWithValues: tree.files.map { file in
                let bytes = try staging.open(file.content.digest)?.readAll() ?? []
                return (file.path.text, String(decoding: bytes, as: UTF8.self))
            })
    }
}

extension Substring {
    init(lastPartOf path: String) {
        self = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    }
}
