import Domain
import FoundationEssentials
import Ground
import Testing

/// A case of `Tests/Fixtures/resolution`: what one device gets of some releases at an instant, and why.
struct ResolutionCase: Sendable, CustomTestStringConvertible {
    let file: String
    let name: String
    let releases: [Release]
    let withoutFiles: Set<ReleaseID>
    let lists: [DeviceListName: DeviceSet]
    let builds: [String: Set<String>]
    let disabled: Set<PackageID>
    let facts: DeviceFacts
    let instant: Timestamp
    let expectations: [PackageID: Expectation]

    /// What a package comes to.
    struct Expectation: Sendable {
        /// The version; "-" for none.
        let now: String
        let next: String
        /// One line for each release that is looked at, by falling rank: its id, and what became of it.
        let why: [String]
        /// The id of a release by its rank, "-" for none; `nil` where it does not matter.
        let mandatoryAfter: String?
        /// "true", "false" or "-"; `nil` where it does not matter.
        let mandatory: String?
        /// Of ``next``.
        let nextMandatoryAfter: String?
    }

    var testDescription: String { "\(file): \(name)" }

    var snapshot: ReleaseSnapshot {
        var packages: [PackageID: PackageReleases] = [:]
        for (package, own) in Dictionary(grouping: releases, by: \.package) {
            packages[package] = PackageReleases(own, at: instant) {
                Candidate($0, lists: lists, hasFiles: !withoutFiles.contains($0.id))
            }
        }
        return ReleaseSnapshot(packages: packages, disabled: disabled, builds: builds)
    }
}

extension ResolutionCase {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/resolution")

    /// Every case of every file; what cannot be read is told by a test that reads them again.
    static let all: [ResolutionCase] = files.flatMap { (try? read($0)) ?? [] }

    static var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
    }

    static func read(_ file: String) throws -> [ResolutionCase] {
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
        guard let document = JSON(parsing: bytes), let groups = document["groups"]?.elements else {
            throw FixtureError("\(file) is no JSON object with 'groups'")
        }
        return try groups.flatMap { group in
            let reader = FixtureReader(file: file, group: group)
            return try (group["cases"]?.elements ?? []).map { try reader.read($0) }
        }
    }
}

/// What is wrong with a file of cases.
struct FixtureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
