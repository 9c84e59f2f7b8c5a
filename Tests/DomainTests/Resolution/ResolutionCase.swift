import Domain
import FoundationEssentials
import Ground
import Testing
import WorldKit

/// A case of `Tests/Fixtures/resolution`: the releases that a device gets at an instant, with the reasons.
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

    /// The expected result for a package.
    struct Expectation: Sendable {
        /// The version; "-" for none.
        let now: String
        let next: String
        /// One line for each checked release, by descending rank: its id and its outcome.
        let why: [String]
        /// The id of a release by its rank, "-" for none; `nil` for any.
        let mandatoryAfter: String?
        /// "true", "false" or "-"; `nil` for any.
        let mandatory: String?
        /// The expectation of ``mandatoryAfter`` for ``next``.
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

    /// All cases of all files; another test reads the files again and reports errors.
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

/// An error in a file of cases.
struct FixtureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
