package import API
package import Domain
import Ground

/// The requirements of seed 002's clients (clients.md O7–O9).
package struct NewestPackageDialect: ServedDialect {
    package let dialect = Dialect.newestPackage
    package let layout: Layout? = .flat

    /// The package of the default app whose newest archive is at `/@` (clients.md O5).
    private let packageAt: PackageID?

    package init(packageAt: PackageID? = nil) {
        self.packageAt = packageAt
    }

    package func makeEndpoint(in context: DialectContext) -> any DialectEndpoint {
        NewestPackageEndpoint(services: context.services, blobURL: context.blobURL, packageAt: packageAt)
    }

    /// Returns a problem if the id cannot be the first label of a host name in lower case (O8).
    package func problem(with package: Package) -> DialectProblem? {
        let id = package.id.text
        guard id.utf8.contains(where: { ASCII.isUpper($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        return DialectProblem(
            "Clients of the dialect 'newest-package' open 'https://\(id).package', which requires an id in lower case "
                + "without dots. Create a package with such an id, or turn the dialect off.")
    }

    /// Returns a problem without `index.html` at the root, which the clients open for an empty path (O9).
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem? {
        guard tree[.index] == nil else { return nil }
        return DialectProblem(
            "Clients of the dialect 'newest-package' open 'index.html' at the root, which \(version) of '\(package.id)' "
                + "does not have. Publish a version that has it, or turn the dialect off.",
            path: .index)
    }

    package func opensIndex(beside entry: String) -> Bool { true }

    package func effect(of withdrawal: Withdrawal) -> String {
        switch withdrawal {
        case .disabled: "gets 404, and continues to use the copy that it has."
        case .killed: "installs the version when it next asks, and its pages then redirect to the network."
        case .online: "does not support it, and continues to use its copy."
        }
    }
}

extension Dialect {
    /// The dialect of seed 002's clients: `POST /getNewestPackage`.
    package static let newestPackage = Dialect(rawValue: "newest-package")
}
