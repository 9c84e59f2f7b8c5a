package import Ground

/// The permissions of a package's pages: names of native APIs, and origins.
package struct PagePermissions: Hashable, Sendable {
    /// The sorted, distinct names of the APIs.
    package let apis: [String]
    /// The sorted, distinct origins.
    package let origins: [PageOrigin]

    package static let maximumAPIs = 200
    package static let maximumOrigins = 100

    /// Fails for invalid names, and for too many.
    package init?(apis: [String], origins: [PageOrigin]) {
        guard apis.count <= Self.maximumAPIs, origins.count <= Self.maximumOrigins,
            apis.allSatisfy(VersionRequirements.isAPIName)
        else { return nil }
        self.apis = Array(Set(apis)).sorted()
        self.origins = Array(Set(origins)).sorted()
    }

    /// The signed statement of the permissions of one version's pages (semantics.md §6).
    package struct Statement: Hashable, Sendable {
        package let app: AppID
        package let package: PackageID
        package let version: VersionString
        /// The `tree` of the entry that carries the permissions.
        package let tree: SHA256Digest
        package let permissions: PagePermissions

        package init(
            app: AppID, package: PackageID, version: VersionString, tree: SHA256Digest, permissions: PagePermissions
        ) {
            self.app = app
            self.package = package
            self.version = version
            self.tree = tree
            self.permissions = permissions
        }

        /// The signed bytes: lines, each ended by LF.
        package var signedBytes: [UInt8] {
            let head = ["larder-permissions-1", app.text, package.text, version.text, tree.hex]
            let lines =
                head + permissions.apis.map { "api \($0)" } + permissions.origins.map { "origin \($0)" }
            return Array(lines.map { $0 + "\n" }.joined().utf8)
        }
    }
}

extension PagePermissions {
    /// The permissions as JSON, in `/config`, the operators' API and the store.
    package var json: JSON {
        .object([
            "apis": .array(apis.map { .string($0) }), "origins": .array(origins.map { .string($0.text) }),
        ])
    }
}
