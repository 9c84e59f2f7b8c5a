/// The versions that a device has, as `id@version,…` (semantics.md §3).
///
/// For each package the version in use comes first, then completely downloaded ones.
package struct Holdings: Sendable, Equatable {
    /// The distinct versions by package, in the order of the text.
    package private(set) var versions: [PackageID: [VersionString]] = [:]

    /// The limit on parsed items, since event loops parse untrusted text.
    package static let maximumItems = 400
    /// The limit on the versions of one package.
    package static let maximumVersions = 4

    /// Parses the text; ignores invalid and excess items.
    package init(_ text: String) {
        let items = text.utf8.split(separator: UInt8(ascii: ","), maxSplits: Self.maximumItems)
        for item in items.prefix(Self.maximumItems) {
            let parts = item.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let package = PackageID(String(decoding: parts[0], as: UTF8.self)),
                let version = VersionString(String(decoding: parts[1], as: UTF8.self))
            else { continue }
            var known = versions[package] ?? []
            guard known.count < Self.maximumVersions, !known.contains(version) else { continue }
            known.append(version)
            versions[package] = known
        }
    }
}
