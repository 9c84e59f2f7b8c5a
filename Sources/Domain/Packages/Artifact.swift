/// A file that devices download to get a version: built once, stored as a blob, never rewritten.
package struct Artifact: Sendable, Equatable {
    package let app: AppID
    package let package: PackageID
    package let version: VersionString
    package let form: Form
    package let layout: Layout
    /// The hash of the layout tree that results on the device.
    package let tree: SHA256Digest
    package let blob: SHA256Digest
    package let size: Int
    /// The MD5 of the archive's bytes, which the legacy signature covers (clients.md K13).
    package let md5: [UInt8]
    /// The number of the recipe that made the bytes (semantics.md §11).
    package let recipe: Int

    package enum Form: Sendable, Hashable {
        /// The whole layout tree.
        case full
        /// The changed and added files, to be unzipped over `base`.
        case files(base: VersionString, baseTree: SHA256Digest)
        /// A delta from the layout tree of `base` to this one's (docs/formats/delta.md).
        case delta(base: VersionString, baseTree: SHA256Digest)
    }

    /// The kind of the update; the raw values are signed and stored (semantics.md §6).
    package enum Kind: String, Sendable {
        case full, files, delta
    }

    package init(
        app: AppID, package: PackageID, version: VersionString, form: Form, layout: Layout, tree: SHA256Digest,
        blob: SHA256Digest, size: Int, md5: [UInt8], recipe: Int
    ) {
        self.app = app
        self.package = package
        self.version = version
        self.form = form
        self.layout = layout
        self.tree = tree
        self.blob = blob
        self.size = size
        self.md5 = md5
        self.recipe = recipe
    }

    /// Creates the artifact of a built archive of a version.
    package init(
        of version: Version, form: Form, layout: Layout = .appFolder, tree: SHA256Digest, built: BuiltArchive
    ) {
        self.init(
            app: version.app, package: version.package, version: version.version, form: form, layout: layout,
            tree: tree, blob: built.digest, size: built.size, md5: built.md5, recipe: built.recipe)
    }

    package var kind: Kind { form.kind }

    package var base: VersionString? {
        switch form {
        case .full: nil
        case .files(let base, _), .delta(let base, _): base
        }
    }

    package var baseTree: SHA256Digest? {
        switch form {
        case .full: nil
        case .files(_, let baseTree), .delta(_, let baseTree): baseTree
        }
    }

    /// The formats besides zip that an artifact requires; clients without one of them ignore it (semantics.md §4).
    package var requires: [String] {
        switch form {
        case .full, .files: []
        case .delta: [Self.deltaFormat]
        }
    }

    /// The name of the first version of the delta format.
    package static let deltaFormat = "delta-1"

    /// The last part of the download URL: ASCII, and unique enough for a file name.
    package var fileName: String {
        switch form {
        case .full where layout == .appFolder: "\(package)-\(version).zip"
        case .full: "\(package)-\(version)-\(layout.rawValue).zip"
        case .files(let base, _): "\(package)-\(base)-\(version).zip"
        case .delta(let base, _): "\(package)-\(base)-\(version).delta"
        }
    }

    /// The bytes that signatures cover (semantics.md §6): lines, each ended by LF.
    package var signedBytes: [UInt8] {
        let lines = [
            "larder-artifact-1", app.text, package.text, version.text, kind.rawValue, layout.rawValue,
            base?.text ?? "-",
            tree.hex, blob.hex, String(size),
        ]
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
}

extension Artifact.Form {
    package var kind: Artifact.Kind {
        switch self {
        case .full: .full
        case .files: .files
        case .delta: .delta
        }
    }
}

/// An artifact and its signatures.
package struct SignedArtifact: Sendable, Equatable {
    package let artifact: Artifact
    package var signatures: [Signature]

    package init(artifact: Artifact, signatures: [Signature]) {
        self.artifact = artifact
        self.signatures = signatures
    }
}
