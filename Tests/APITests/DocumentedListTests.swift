@testable import API
import Domain
import Foundation
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

/// Compares the lists in docs/api.md with the code, in both directions.
@Suite(.scratchMemory)
struct DocumentedListTests {
    private static let page: String = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        return (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    }()

    @Test func `every error code is documented with its status, and no other`() throws {
        let start = try #require(Self.page.firstRange(of: "\n## Errors\n"))
        let end = Self.page[start.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? Self.page.endIndex
        var documented: [String: String] = [:]
        for row in Self.page[start.upperBound..<end].split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" } }
            guard cells.count > 1, Int(cells[1]) != nil else { continue }
            #expect(documented.updateValue(cells[1], forKey: cells[0]) == nil, "\(cells[0]) is there twice")
        }
        let codes = PlatformError.Code.allCases.map { ($0.rawValue, String($0.status.code)) }
        #expect(documented == Dictionary(uniqueKeysWithValues: codes))
    }

    /// Returns the names in the first column of the table with this title.
    private static func names(under title: String) throws -> [String] {
        let start = try #require(page.firstRange(of: "\n| \(title) |"))
        let end = try #require(page[start.upperBound...].firstRange(of: "\n\n"))
        return page[start.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    }

    @Test func `every reason that keeps a release from a device is documented, and no other`() throws {
        #expect(
            try Self.names(under: "`code` | the release is not offered because").sorted()
                == Refusal.Code.allCases.map(\.rawValue).sorted())
    }

    @Test func `every warning about a release is documented, and no other`() throws {
        let schemas = OpenAPIDocument(of: []).json["components"]?["schemas"]
        let codes = schemas?["Release"]?["properties"]?["warningCodes"]?["items"]?["enum"]?.elements
        #expect(try Self.names(under: "`warningCodes`") == (try #require(codes)).compactMap(\.string))
    }

    /// The audit actions in docs/api.md, each with the members of its details.
    private static func documentedActions() throws -> [String: Set<String>] {
        let start = try #require(page.firstRange(of: "\n| action | object (`subject`) |"))
        let end = try #require(page[start.upperBound...].firstRange(of: "\n\n"))
        var actions: [String: Set<String>] = [:]
        for row in page[start.upperBound..<end.lowerBound].split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { cell in
                let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
                return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
            }
            let action = try #require(cells[0].first)
            #expect(actions.updateValue(Set(cells[2]), forKey: action) == nil, "\(action) is there twice")
        }
        return actions
    }

    @Test func `every audit action is documented, and no other`() throws {
        #expect(Set(try Self.documentedActions().keys) == Set(AuditAction.allCases.map(\.rawValue)))
    }

    /// The actions of the server itself, of pruning and of CI jobs, whose entries other suites read.
    private static let unrequested: Set<AuditAction> = [
        .advanceRelease, .advanceReleaseSet, .tripRelease, .prunePackage, .exchangeToken,
        .expireApproval,
    ]

    /// Requests after each other that make the changes for which one request does not suffice; `make` names the new one.
    private static func sequence(_ desk: Desk) async throws {
        for package in ["common", "news"] {
            for version in ["1.0.0", "2.0.0"] { try await desk.service.publishSample(version, of: package) }
        }
        let rules = JSON(parsing: Array(#"{"health": {"rules": [{"metric": "crashes", "ceiling": 1}]}}"#.utf8))
        let packages = "\(Desk.news)/releases"
        let sets = Desk.api + "/apps/default/release-sets"
        func both(_ version: JSON) -> JSON { .object(["common": version, "news": version]) }
        for (path, key, older, newer) in [
            (packages, "version", "1.0.0", "2.0.0"), (sets, "versions", both("1.0.0"), both("2.0.0")),
        ] as [(String, String, JSON, JSON)] {
            let percent = JSON.Member("percent", 10)
            let first = try await desk.call("POST", path, .object([.init(key, older)]))
            let made = try await desk.call("POST", path, .object([.init(key, newer), percent]))
            try #require(first.status == 201 && made.status == 201, "\(first.text) \(made.text)")
            let one = "\(path)/\(try #require(try made.json["id"]?.integer))"
            for (method, path, body) in [
                ("PATCH", one, .object(["percent": 20])), ("PATCH", one, rules), ("POST", one + "/rollback", nil),
            ] as [(String, String, JSON?)] {
                let response = try await desk.call(method, path, body)
                try #require((200...299).contains(response.status), "\(method) \(path): \(response.text)")
            }
        }
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        _ = try await desk.addSecondFactor(of: ann)
        let asked = try await desk.call(
            "POST", Desk.api + "/command-line",
            .object(["machine": "m", "secretHash": .string(String(repeating: "0", count: 64))]))
        let code = try #require(try asked.json["code"]?.string)
        let passwords = JSON.object(["current": .string(Desk.password), "new": .string(Desk.password)])
        for (method, path, body) in [
            ("POST", "/user/recovery-codes", Desk.ownPassword), ("DELETE", "/user/totp", nil),
            ("PUT", "/user/password", passwords),
            ("POST", "/command-line/\(code)/refuse", nil), ("DELETE", "/session", nil),
        ] as [(String, String, JSON?)] {
            let response = try await desk.call(method, path, body, as: ann)
            try #require(response.status == 200, "\(method) \(path): \(response.text)")
        }
        let version = "\(Desk.news)/versions/3.0.0"
        try await desk.service.publishSample("3.0.0", of: "news")
        let presets = Desk.api + "/apps/default/presets"
        let beta = Desk.api + "/apps/default/channels/beta"
        for (method, path, body) in [
            ("POST", version + "/retire", .object(["reason": "r"])), ("POST", version + "/unretire", nil),
            ("PUT", Desk.api + "/apps/default/health", rules?["health"]),
            ("POST", presets, .object(["appVersion": "8.3.0", "packages": .object(["news": "1.0.0"])])),
            ("DELETE", presets + "/8.3.0", nil),
            ("PUT", beta, nil), ("PUT", beta, .object(["approvals": 1])),
            (
                "POST", packages,
                .object(["version": "2.0.0", "channel": "beta", "breakGlass": "The start page is empty."])
            ),
        ] as [(String, String, JSON?)] {
            let response = try await desk.call(method, path, body)
            try #require((200...299).contains(response.status), "\(method) \(path): \(response.text)")
        }
    }

    /// The actions that change no member of their object, or must not keep what they remove.
    private static let withoutChange: Set<AuditAction> = [
        .exportKey, .eraseDevice, .prunePackage, .tripRelease, .changePassword, .beginSecondFactor,
        .confirmSecondFactor, .removeSecondFactor, .replaceRecoveryCodes, .beginSession, .endSession, .breakGlass,
        .refuseCommandLine,
    ]
    /// The actions that may leave all shown members as they are: equal settings, or a new secret.
    private static let maybeWithoutChange: Set<AuditAction> = [
        .putPackage, .putBuild, .putPageGrant, .putWaiver, .setVersionNotes, .setAppHealth, .rotateWebhookSecret,
        .changeWebhook, .pauseWebhook, .resumeWebhook, .changeUser,
    ]

    @Test func `every change through the API writes an entry whose object and details are documented`() async throws {
        let documented = try Self.documentedActions()
        var written: Set<String> = []
        var changing: Set<String> = []
        let export = OperatorRoute.all.filter { $0.method == "GET" && $0.path.hasSuffix("/keys/legacy") }
        let routes = [nil] + (DryRunRouteTests.changes + export)
        for (number, route) in routes.enumerated() {
            let folder = "\(ScratchDirectory.path)/\(number)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let desk = try await Desk(TestService(in: folder))
            if let route {
                try await desk.service.publishSample("1.0.0")
                let response = try await desk.send(route, authorization: "Bearer \(desk.token(.admin))")
                #expect((200...299).contains(response.status), "\(route): \(response.text)")
            } else {
                try await Self.sequence(desk)
            }
            for entry in try await desk.service.store.audit(before: nil, limit: 200).map(\.entry) {
                written.insert(entry.action)
                let states = entry.details.filter { ["before", "after"].contains($0.key) }
                if !states.isEmpty { changing.insert(entry.action) }
                #expect(states.isEmpty || states.count == 2 && states[0].value != states[1].value, "\(entry)")
                let unknown = Set(entry.details.map(\.key)).subtracting(["before", "after"])
                    .subtracting(documented[entry.action] ?? [])
                #expect(unknown == [] && !entry.subject.isEmpty && entry.source != nil, "\(entry)")
            }
        }
        #expect(Set(documented.keys).subtracting(written) == Set(Self.unrequested.map(\.rawValue)))
        let unchanging = written.subtracting(changing).compactMap(AuditAction.init(rawValue:))
        #expect(
            Set(unchanging).subtracting(Self.maybeWithoutChange) == Self.withoutChange.subtracting(Self.unrequested))
    }
}
