import Domain
import Ground

/// A downloadable file that `/config` offers, with the facts that its download is checked against.
struct ArtifactOffer: Sendable, Equatable {
    let form: Artifact.Form
    let layout: Layout
    let tree: SHA256Digest
    let url: String
    let digest: SHA256Digest
    /// The size in bytes.
    let size: Int
    let signatures: [Signed]

    struct Signed: Sendable, Equatable {
        let keyID: KeyID
        let value: [UInt8]
    }

    /// The largest file that is accepted, in bytes.
    static let maximumSize: Int64 = 4 << 30

    /// Parses an entry of `/config`, or one of its `patches` (semantics.md §4).
    init(_ json: JSON, form: Artifact.Form) throws(PackageFailure) {
        func text(_ key: String) throws(PackageFailure) -> String {
            guard let text = json[key]?.string else { throw PackageFailure(.invalidOffer, "it has no '\(key)'.") }
            return text
        }
        self.form = form
        url = try text("url")
        // This client unpacks one layout; the server has others for other clients.
        guard let layout = Layout(rawValue: try text("layout")), layout == .appFolder else {
            throw PackageFailure(.invalidOffer, "its layout is unknown to this client.")
        }
        self.layout = layout
        guard let tree = SHA256Digest(hex: try text("tree")), let digest = SHA256Digest(hex: try text("sha256")) else {
            throw PackageFailure(.invalidOffer, "a digest of it is not \(SHA256Digest.shape).")
        }
        self.tree = tree
        self.digest = digest
        guard let size = json["size"]?.integer, (0...Self.maximumSize).contains(size) else {
            throw PackageFailure(.invalidOffer, "its size is not a number up to \(Self.maximumSize).")
        }
        self.size = Int(size)
        signatures = (json["signatures"]?.elements ?? []).compactMap { signature in
            guard let id = signature["keyId"]?.string.flatMap(KeyID.init),
                let value = signature["value"]?.string.flatMap(Base64.decode)
            else { return nil }
            return Signed(keyID: id, value: value)
        }
    }

    /// Returns the bytes that the signatures cover (semantics.md §6).
    func signedBytes(app: AppID, package: PackageID, version: VersionString) -> [UInt8] {
        Artifact(
            app: app, package: package, version: version, form: form, layout: layout, tree: tree, blob: digest,
            size: size, md5: [], recipe: 0
        ).signedBytes
    }
}
