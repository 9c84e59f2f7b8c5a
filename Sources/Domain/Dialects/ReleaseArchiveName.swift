/// The name under which clients store the archive of a release (semantics.md §12).
///
/// The form is `<package>-<version>-r<release>.zip`, with `.<number>` after the release unless the number is zero.
///
/// Besides the version, the name contains the release and the number of times that the package's releases were halted
/// and resumed: these clients never fetch a name twice, yet have to go back (clients.md O4, H3).
package struct ReleaseArchiveName: Sendable, Hashable {
    package let package: PackageID
    package let version: VersionString
    package let release: ReleaseID
    /// The number for all of the package's releases on its channel.
    package let haltChanges: Int

    package init(package: PackageID, version: VersionString, release: ReleaseID, haltChanges: Int = 0) {
        self.package = package
        self.version = version
        self.release = release
        self.haltChanges = haltChanges
    }

    package init(of release: Release, haltChanges: Int) {
        self.init(package: release.package, version: release.version, release: release.id, haltChanges: haltChanges)
    }

    /// Parses a name of this package; fails for anything but the output of ``fileName``.
    package init?(fileName text: String, of package: PackageID) {
        let prefix = package.text + "-"
        guard text.utf8.starts(with: prefix.utf8), text.hasSuffix(Self.suffix) else { return nil }
        let middle = text.dropFirst(prefix.count).dropLast(Self.suffix.count)
        guard let mark = middle.utf8.lastIndex(of: UInt8(ascii: "r")), mark > middle.startIndex else { return nil }
        let before = middle.utf8.index(before: mark)
        let numbers = middle[middle.utf8.index(after: mark)...].split(separator: ".", omittingEmptySubsequences: false)
        guard middle.utf8[before] == UInt8(ascii: "-"), let version = VersionString(String(middle[..<before])),
            (1...2).contains(numbers.count), let number = Int64(numbers[0]), number > 0,
            let haltChanges = numbers.count == 2 ? Int(numbers[1]) : 0, haltChanges >= 0
        else { return nil }
        self.init(package: package, version: version, release: ReleaseID(number), haltChanges: haltChanges)
        guard fileName == text else { return nil }
    }

    package var fileName: String {
        "\(package)-\(version)-r\(release)" + (haltChanges == 0 ? "" : ".\(haltChanges)") + Self.suffix
    }

    private static let suffix = ".zip"
}
