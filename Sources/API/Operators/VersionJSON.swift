import Domain
import Ground
import Platform

extension VersionSummary {
    /// The members that describe a version in every response that names it.
    var members: [JSON.Member] {
        [
            .init("version", .string(version.text)), .init("tree", .string(treeHash.hex)),
            .init("files", .integer(Int64(fileCount))), .init("bytes", .integer(Int64(totalSize))),
            .init("archiveBytes", .integer(Int64(archiveSize))), .init("createdAt", .string(createdAt.rfc3339)),
        ] + (patchSize.map { [.init("patchBytes", .integer(Int64($0)))] } ?? []) + details.members + retirementMembers
    }

    /// The members of the version's retirement; empty while it may be released.
    fileprivate var retirementMembers: [JSON.Member] {
        guard let retirement else { return [] }
        return [
            .init(
                "retired",
                .object([
                    "at": .string(retirement.time.rfc3339), "by": .string(retirement.actor),
                    "reason": .string(retirement.reason),
                ]))
        ]
    }
}

extension VersionDetails {
    /// The members of the details that are set.
    fileprivate var members: [JSON.Member] {
        [("notes", notes), ("commit", commit), ("author", author)].compactMap { key, text in
            text.map { JSON.Member(key, .string($0)) }
        }
    }
}

extension VersionRequirements {
    /// The requirements that are set, under the names of the publishing parameters.
    fileprivate var members: [JSON.Member] {
        var members: [JSON.Member] = []
        if let minAppVersion { members.append(.init("minAppVersion", .string(minAppVersion))) }
        if let maxAppVersion { members.append(.init("maxAppVersion", .string(maxAppVersion))) }
        if !apis.isEmpty { members.append(.init("apis", .array(apis.map { .string($0) }))) }
        if !dependencies.isEmpty {
            members.append(
                .init("needs", .object(dependencies.map { JSON.Member($0.package.text, .string($0.range.text)) })))
        }
        return members
    }
}

extension LintResult {
    fileprivate var members: [JSON.Member] {
        let warnings = findings.map { finding in
            JSON.object(finding.json.members?.filter { $0.key != "severity" } ?? [])
        }
        return [.init("warnings", .array(warnings)), .init("waived", .array(waived.map(\.json)))]
    }
}

extension Publisher.Outcome {
    /// The members that describe the version and the outcome of the upload.
    var members: [JSON.Member] {
        switch self {
        case .published(let summary, let findings): Self.members(summary, "published", findings.members)
        case .unchanged(let summary, let findings): Self.members(summary, "unchanged", findings.members)
        case .exists(let summary, let isSame):
            Self.members(summary, "exists", [.init("sameContent", .bool(isSame))])
        case .possible(let summary, let findings):
            Self.members(summary, "would-publish", findings.members).filter { $0.key != "createdAt" }
        }
    }

    private static func members(
        _ summary: VersionSummary, _ status: String, _ further: [JSON.Member]
    ) -> [JSON.Member] {
        var members = summary.members
        members.insert(.init("status", .string(status)), at: 1)
        return members + further
    }
}

extension Version {
    /// Returns the members of the version with its manifest.
    ///
    /// - Parameter findings: The linter's findings; `nil` if they were not stored.
    func members(_ summary: VersionSummary, _ findings: LintResult?) -> [JSON.Member] {
        let content: [JSON.Member] =
            [
                .init("version", .string(version.text)), .init("tree", .string(treeHash.hex)),
                .init("entry", entry.map { .string($0.text) } ?? .null), .init("urlPrefix", .string(urlPrefix.text)),
                .init("bytes", .integer(Int64(summary.totalSize))),
                .init("archiveBytes", .integer(Int64(summary.archiveSize))),
                .init("createdAt", .string(createdAt.rfc3339)),
            ] + requirements.members
        return content + summary.details.members + summary.retirementMembers + (findings?.members ?? [])
            + [.init("files", .array(tree.files.map { .object($0.members) }))]
    }

    /// The manifest, with the media type under which each file is served.
    var manifest: JSON {
        .object([
            "version": .string(version.text), "tree": .string(treeHash.hex),
            "files": .array(
                tree.files.map { file in
                    let type = MediaType(of: file.path)?.essence ?? "application/octet-stream"
                    return .object(file.members + [.init("type", .string(type))])
                }),
        ])
    }
}

extension TreeFile {
    fileprivate var members: [JSON.Member] {
        [
            .init("path", .string(path.text)), .init("size", .integer(Int64(content.size))),
            .init("sha256", .string(content.digest.hex)),
        ]
    }
}
