import Domain
import Platform

extension VersionSummary {
    /// What is told of a version wherever it is named.
    var members: [JSON.Member] {
        [
            .init("version", .string(version.text)), .init("tree", .string(treeHash.hex)),
            .init("files", .integer(Int64(fileCount))), .init("bytes", .integer(Int64(totalSize))),
            .init("archiveBytes", .integer(Int64(archiveSize))), .init("createdAt", .string(createdAt.rfc3339)),
        ] + details.members + retirementMembers
    }

    /// None while it may be released.
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
    /// Those that there are.
    fileprivate var members: [JSON.Member] {
        [("notes", notes), ("commit", commit), ("author", author)].compactMap { key, text in
            text.map { JSON.Member(key, .string($0)) }
        }
    }
}

extension VersionRequirements {
    /// Those that there are, under the names that publishing has for them.
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
    /// The version, and what became of the upload.
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
    /// The version with its manifest, and what is told of it.
    ///
    /// - Parameter findings: `nil` where they were not kept.
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

    /// The manifest, with the type under which each file is served.
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
