import Domain
import Ground

/// A comparison of two versions for a device that updates: the changed files, and the bytes of each way to update.
struct VersionComparison {
    let from: Version
    let to: Version
    /// The bytes of the full archive.
    let fullSize: Int
    /// The patches from one to the other.
    let patches: [Artifact]

    var json: JSON {
        let diff = TreeDiff(from: from.tree, to: to.tree)
        return .object([
            "from": .string(from.version.text), "to": .string(to.version.text),
            "added": .array(diff.added.map { Self.json($0) }),
            "changed": .array(
                diff.changed.map { change in
                    Self.json(change.after, ["sizeBefore": .integer(Int64(change.before.content.size))])
                }),
            "removed": .array(diff.removed.map { Self.json($0) }),
            "moved": .array(diff.moved.map { Self.json($0.file, ["from": .string($0.from.text)]) }),
            "bytes": .object([
                "added": Self.sum(diff.added), "changed": Self.sum(diff.changed.map(\.after)),
                "removed": Self.sum(diff.removed), "moved": Self.sum(diff.moved.map(\.file)),
            ]),
            "download": .object([
                "full": .integer(Int64(fullSize)), "files": smallest(.files), "delta": smallest(.delta),
            ]),
        ])
    }

    /// Returns the bytes of the smallest patch of a kind; `null` if there is none.
    private func smallest(_ kind: Artifact.Kind) -> JSON {
        patches.filter { $0.kind == kind }.map(\.size).min().map { .integer(Int64($0)) } ?? .null
    }

    private static func json(_ file: TreeFile, _ further: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        let members: [JSON.Member] = [
            .init("path", .string(file.path.text)), .init("size", .integer(Int64(file.content.size))),
        ]
        return .object(members + (JSON.object(further).members ?? []))
    }

    private static func sum(_ files: [TreeFile]) -> JSON {
        .integer(Int64(files.reduce(0) { $0 + $1.content.size }))
    }
}
