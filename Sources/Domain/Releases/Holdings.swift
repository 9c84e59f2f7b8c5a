/// What a device says it has: `id@version,…`, of each package first the version in use, then those that are downloaded
/// completely (semantics.md §3).
package struct Holdings: Sendable, Equatable {
    /// By package, without repetition, in the order of the text.
    package private(set) var versions: [PackageID: [VersionString]] = [:]

    /// Items that are read; the text is anyone's, and event loops read it.
    package static let maximumItems = 400
    /// Versions of one package that count.
    package static let maximumVersions = 4

    /// Reads what has the shape of a package and a version; the rest, and what is too much, is passed over.
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
