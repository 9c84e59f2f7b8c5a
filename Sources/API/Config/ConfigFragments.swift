import Domain
import Ground
import Platform
import Synchronization

/// A cache of one view's entries as bytes, from which documents are assembled; most devices share most entries.
final class ConfigFragments: Sendable {
    /// The limit on the bytes of cached fragments; further fragments are made for each request.
    static let keptBytes = 32 << 20

    /// The inputs that determine the fragment of a package.
    private struct Key: Hashable {
        let position: Int
        /// The decision for the device; `nil` if the device sends no facts.
        let choice: DeviceView.Choice?
        let reportsVersions: Bool
        /// The versions that the device has; `nil` selects the planned patches.
        let held: Set<VersionString>?
    }

    private struct Fragment {
        /// The key and its value; empty if the document omits the package.
        let bytes: [UInt8]
        let digest: SHA256Digest
    }

    private struct Kept {
        var fragments: [Key: Fragment] = [:]
        var bytes = 0
    }

    let view: ChannelView
    /// The packages of the view's entries, by position.
    private let packages: [PackageID]
    /// The positions of the view's entries, by falling priority, then id.
    private let order: [Int]
    private let blobURL: PublicURL
    private let contentURL: PublicURL
    private let legacyKey: KeyID?
    private let cryptography: any Cryptography
    private let kept = Mutex(Kept())

    init(
        of view: ChannelView, blobURL: PublicURL, contentURL: PublicURL, legacyKey: KeyID?,
        by cryptography: any Cryptography
    ) {
        self.view = view
        self.blobURL = blobURL
        self.contentURL = contentURL
        self.legacyKey = legacyKey
        self.cryptography = cryptography
        packages = view.entries.map(\.package.id)
        order = view.entries.indices.sorted { left, right in
            let (left, right) = (view.entries[left].package, view.entries[right].package)
            return (right.priority, left.id) < (left.priority, right.id)
        }
    }

    /// Returns the body of `/config` for a device, and a name that stands for its content.
    ///
    /// - Parameter only: The packages to list; `nil` for all.
    func document(
        for device: DeviceView, patches: PatchSelection, only: Set<PackageID>?
    ) -> (bytes: [UInt8], etagName: String) {
        let choices = device.choicesByPosition
        var listed: [Fragment] = []
        listed.reserveCapacity(order.count)
        for position in order {
            let package = packages[position]
            if let only, !only.contains(package) { continue }
            let key = Key(
                position: position, choice: choices[position], reportsVersions: device.reportsVersions,
                held: patches.held(of: package))
            let fragment = fragment(key, device, patches)
            if !fragment.bytes.isEmpty { listed.append(fragment) }
        }
        return (Self.document(of: listed), cryptography.etagName(of: listed.flatMap(\.digest.bytes)))
    }

    /// Joins the fragments in one allocation, since a document may have a megabyte.
    private static func document(of fragments: [Fragment]) -> [UInt8] {
        var document: [UInt8] = []
        document.reserveCapacity(fragments.reduce(2 + fragments.count) { $0 + $1.bytes.count })
        document.append(UInt8(ascii: "{"))
        for fragment in fragments {
            if document.count > 1 { document.append(UInt8(ascii: ",")) }
            document += fragment.bytes
        }
        document.append(UInt8(ascii: "}"))
        return document
    }

    private func fragment(_ key: Key, _ device: DeviceView, _ patches: PatchSelection) -> Fragment {
        if let known = kept.withLock({ $0.fragments[key] }) { return known }
        let bytes = bytes(at: key.position, device, patches)
        let made = Fragment(bytes: bytes, digest: cryptography.sha256(bytes))
        guard key.choice?.downloadAfter == nil else { return made }
        kept.withLock { kept in
            guard kept.bytes + bytes.count <= Self.keptBytes, kept.fragments[key] == nil else { return }
            kept.fragments[key] = made
            kept.bytes += bytes.count
        }
        return made
    }

    private func bytes(at position: Int, _ device: DeviceView, _ patches: PatchSelection) -> [UInt8] {
        guard let entry = device.entry(at: position) else { return [] }
        let json = ConfigEntryJSON(
            view: view, reportsVersions: device.reportsVersions, blobURL: blobURL, contentURL: contentURL,
            patches: patches, legacyKey: legacyKey)
        let object = JSON.object([JSON.Member(entry.package.id.text, json.value(of: entry))]).bytes()
        return Array(object.dropFirst().dropLast())
    }
}
