/// What a version asks of the app that opens it; part of its content, so it never changes.
package struct VersionRequirements: Sendable, Hashable {
    /// The lowest host-app version; `nil` for any.
    package var minAppVersion: String?
    /// The highest one, with all that begin with it where it has fewer than three numbers.
    package var maxAppVersion: String?
    /// Native APIs that the host build must have, by name.
    package var apis: [String]
    /// Other packages, with the versions of them that will do.
    package var dependencies: [Dependency]

    package struct Dependency: Sendable, Hashable {
        package let package: PackageID
        package let range: VersionRange

        package init(package: PackageID, range: VersionRange) {
            self.package = package
            self.range = range
        }
    }

    /// Names of APIs at most.
    package static let maximumAPIs = 200
    package static let maximumDependencies = 20
    /// What the name of an API is, as a message says it.
    package static let apiShape = "1 to 128 letters, digits, '.', '_', '-' and '/'"

    package static let none = VersionRequirements()

    /// Sorts what has no order.
    package init(
        minAppVersion: String? = nil, maxAppVersion: String? = nil, apis: [String] = [],
        dependencies: [Dependency] = []
    ) {
        self.minAppVersion = minAppVersion
        self.maxAppVersion = maxAppVersion
        self.apis = Array(Set(apis)).sorted()
        self.dependencies = dependencies.sorted { $0.package < $1.package }
    }

    package static func isAPIName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { IdentifierGrammar.isAlphanumeric($0) || "._-/".utf8.contains($0) }
    }

    /// The host-app versions that will do; `nil` where every one does.
    package var appVersions: VersionRange? {
        guard minAppVersion != nil || maxAppVersion != nil else { return nil }
        return VersionRange(from: minAppVersion, through: maxAppVersion)
    }
}
