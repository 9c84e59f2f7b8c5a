/// The name under which clients keep the archive of a release: `<package>-<version>-r<release>.zip` (semantics.md §12).
///
/// It carries the release, not the version alone: these clients fetch no name twice, and yet have to go back (clients.md
/// O4, H3).
package struct ReleaseArchiveName: Sendable, Equatable {
    package let package: PackageID
    package let version: VersionString
    package let release: ReleaseID

    package init(package: PackageID, version: VersionString, release: ReleaseID) {
        self.package = package
        self.version = version
        self.release = release
    }

    package init(of release: Release) {
        self.init(package: release.package, version: release.version, release: release.id)
    }

    /// Fails for what is no such name of this package, exactly as ``fileName`` writes it.
    package init?(fileName text: String, of package: PackageID) {
        let prefix = package.text + "-"
        guard text.utf8.starts(with: prefix.utf8), text.hasSuffix(Self.suffix) else { return nil }
        let middle = text.dropFirst(prefix.count).dropLast(Self.suffix.count)
        guard let mark = middle.utf8.lastIndex(of: UInt8(ascii: "r")), mark > middle.startIndex else { return nil }
        let before = middle.utf8.index(before: mark)
        guard middle.utf8[before] == UInt8(ascii: "-"), let version = VersionString(String(middle[..<before])),
            let number = Int64(middle[middle.utf8.index(after: mark)...]), number > 0
        else { return nil }
        self.init(package: package, version: version, release: ReleaseID(number))
        guard fileName == text else { return nil }
    }

    package var fileName: String { "\(package)-\(version)-r\(release)\(Self.suffix)" }

    private static let suffix = ".zip"
}
