package import API
package import Domain
import Platform

/// The requirements of seed 004's clients (clients.md P5–P8).
package struct ResourcesJSONDialect: ServedDialect {
    package let dialect = Dialect.resourcesJSON
    /// No layout, since the clients download single files.
    package let layout: Layout? = nil

    package init() {}

    package func makeEndpoint(in context: DialectContext) -> any DialectEndpoint {
        ResourcesEndpoint(in: context)
    }

    /// Returns a problem if a version cannot be ordered, or a file has no valid id or pattern of its own.
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem? {
        guard DottedVersion(version.text) != nil else {
            return DialectProblem(
                "Clients of the dialect 'resources-json' compare versions as numbers, and '\(version)' of '\(package.id)' "
                    + "is not dotted numbers such as 4.0.1. Publish it under such a version, or turn the dialect off.")
        }
        do throws(VersionResources.Fault) {
            _ = try VersionResources(
                of: tree, entry: package.entry, urlPrefix: package.urlPrefix, settings: package.resources)
            return nil
        } catch {
            return DialectProblem(
                "\(version) of '\(package.id)' cannot be served by the dialect 'resources-json': \(error.message)",
                path: error.path)
        }
    }

    package func needsPreparation(of package: Package, since old: Package) -> Bool {
        old.resources != package.resources
    }

    package func opensIndex(beside entry: String) -> Bool { false }

    package func effect(of withdrawal: Withdrawal) -> String {
        switch withdrawal {
        case .disabled, .online: "gets 'cached': false in the list, and loads its files from the network."
        case .killed:
            "deletes its files when it next asks, since the list names no file that a page requests, and loads the pages "
                + "from the network."
        }
    }
}
