/// What a device says it has: `id@version,…`, of each package first the version in use, then those that are downloaded
/// completely (semantics.md §3).
package struct Holdings: Sendable, Equatable {
    /// By package, without repetition, in the order of the text.
    package private(set) var versions: [PackageID: [VersionString]] = [:]

    /// Reads what has the shape of a package and a version; the rest is passed over.
    package init(_ text: String) {
        for item in text.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = item.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let package = PackageID(String(decoding: parts[0], as: UTF8.self)),
                let version = VersionString(String(decoding: parts[1], as: UTF8.self)),
                versions[package]?.contains(version) != true
            else { continue }
            versions[package, default: []].append(version)
        }
    }
}
