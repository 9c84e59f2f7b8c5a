import Domain
import Ground

/// The file `preset.json`: the contents of a preset's zip, with all that a client needs to verify them.
struct PresetIndex {
    let preset: Preset
    let entries: [Entry]

    struct Entry: Sendable {
        let version: Version
        let full: SignedArtifact
    }

    /// The folder of the index; it collides with no package, because no package id begins with an underscore.
    static let folder = "_larder"
    static let path = TreePath.presetIndex.under(folder)
    static let keysPath = TreePath.keys.under(folder)

    var bytes: [UInt8] {
        JSON.object([
            "app": .string(preset.app.text), "appVersion": .string(preset.build.text),
            "createdAt": .string(preset.createdAt.rfc3339),
            "packages": .object(entries.map { JSON.Member($0.version.package.text, Self.json($0)) }),
        ]).bytes()
    }

    /// Returns the entry's members, with the keys of `/config` (semantics.md §4).
    private static func json(_ entry: Entry) -> JSON {
        let artifact = entry.full.artifact
        return .object([
            "version": .string(artifact.version.text), "sha256": .string(artifact.blob.hex),
            "size": .integer(Int64(artifact.size)), "layout": .string(artifact.layout.rawValue),
            "tree": .string(artifact.tree.hex), "signatures": entry.full.ed25519JSON,
            "entry": entry.version.entry.map { .string($0.text) },
            "urlPrefix": .string(entry.version.urlPrefix.text),
        ])
    }
}
