import Domain
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DryRunTests {
    private let page: KeyValuePairs = ["index.html": "<img src=no.png>", "a.js": "1"]

    private func store(of service: TestService) async throws -> [VersionSummary] {
        try await service.store.versions(of: service.putPackage().id, in: .default)
    }

    @Test func `a dry run has the result of publishing, and keeps no data`() async throws {
        let service = try await TestService()
        let outcome = try await service.publish("1.0.0", page, isDryRun: true)
        guard case .possible(let dry, let findings) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(findings.findings.map(\.code) == [.referenceMissing])
        #expect(try await store(of: service) == [])
        #expect(try await service.store.blobs() == [])
        #expect(try service.stagedFiles() == [])
        #expect(try service.blobs.sweep(keeping: []) == 0)
        #expect(
            try await !service.store.audit(before: nil, limit: 100).contains { $0.entry.action == "version.publish" })
        #expect(try await service.publish("1.0.0", page).published == dry)
    }

    @Test func `a dry run fails if publishing would, and finds the same content`() async throws {
        let service = try await TestService()
        #expect(try await code { try await service.publish("1", ["a": "1"], isDryRun: true) } == .badPackage)
        let published = try await service.publish("1.0.0", page).published
        #expect(try await service.publish("1.0.0", page, isDryRun: true).unchanged == published)
        let other: KeyValuePairs = ["index.html": "2"]
        #expect(try await code { try await service.publish("1.0.0", other, isDryRun: true) } == .versionExists)
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct IfExistsTests {
    private let page: KeyValuePairs = ["index.html": "1"]
    private let other: KeyValuePairs = ["index.html": "2"]

    private func exists(_ outcome: Publisher.Outcome) -> (VersionSummary, Bool)? {
        guard case .exists(let summary, let isSame) = outcome else { return nil }
        return (summary, isSame)
    }

    @Test(arguments: [false, true])
    func `an existing version is accepted with any content, and stays`(isDryRun: Bool) async throws {
        let service = try await TestService()
        let first = try await service.publish("1.0.0", page, ifExists: .accept).published
        let same = exists(try await service.publish("1.0.0", page, ifExists: .accept, isDryRun: isDryRun))
        #expect(same?.0 == first && same?.1 == true)
        let different = exists(try await service.publish("1.0.0", other, ifExists: .accept, isDryRun: isDryRun))
        #expect(different?.0 == first && different?.1 == false)
        #expect(try service.stagedFiles() == [])
        #expect(try await service.publish("1.0.0", page).unchanged == first)
        #expect(try service.blobs.sweep(keeping: try await service.store.blobs()) == 0)
    }

    @Test func `a name that differs only in case is not an existing version`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0-rc", page)
        #expect(try await code { try await service.publish("1.0.0-RC", page, ifExists: .accept) } == .versionExists)
    }

    @Test func `an upload that is not a zip is refused even if the version exists`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", page)
        let outcome = try await code {
            try await service.publish("1.0.0", zip: Array("no zip".utf8), ifExists: .accept)
        }
        #expect(outcome == .badPackage)
    }

    @Test func `one of two concurrent uploads with other content is published, and the other accepts it`() async throws
    {
        let service = try await TestService()
        try await service.putPackage()
        let barrier = Barrier(count: 2)
        service.store.setAfter(.publication) { () throws(PlatformError) in await barrier.arrive() }
        async let left = service.publish("1.0.0", page, ifExists: .accept)
        async let right = service.publish("1.0.0", other, ifExists: .accept)
        let outcomes = try await [left, right]
        let published = outcomes.compactMap(\.published)
        #expect(published.count == 1)
        #expect(outcomes.compactMap(exists).map(\.1) == [false])
        #expect(outcomes.compactMap(exists).map(\.0) == published)
    }
}
