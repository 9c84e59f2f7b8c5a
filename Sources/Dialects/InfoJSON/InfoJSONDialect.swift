package import API
package import Domain

/// The protocol of seed 003's clients, and their requirements (clients.md H5).
package struct InfoJSONDialect: ServedDialect {
    package let dialect = Dialect.infoJSON
    package let layout: Layout? = .baseNames

    package init() {}

    package func makeEndpoint(in context: DialectContext) -> any DialectEndpoint {
        InfoJSONRoutes(
            log: context.services.log,
            list: InfoJSONEndpoint(in: context),
            files: InfoFilesEndpoint(
                services: context.services, isolation: context.isolation, lookups: context.lookups))
    }

    /// Returns a problem if two files share the last part of their paths, which is all that the clients use.
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem? {
        do throws(PlatformError) {
            if !made.contains(.baseNames) { try Layout.baseNames.requireDistinctNames(of: tree) }
            _ = try Layout.baseNames.placed(tree, of: package.id)
            return nil
        } catch {
            return DialectProblem(
                "\(version) of '\(package.id)' cannot be served by the dialect 'info-json': \(error.message)",
                path: error.entry.flatMap { try? TreePath($0) })
        }
    }

    package func opensIndex(beside entry: String) -> Bool { !entry.hasSuffix("/" + TreePath.index.text) }

    package func effect(of withdrawal: Withdrawal) -> String {
        switch withdrawal {
        case .disabled: "gets 404 for 'info.json', and continues to use the copy that it has."
        case .killed: "installs the version when it next asks, and its pages then redirect to the network."
        case .online: "does not support it, and continues to use its copy."
        }
    }
}

extension Dialect {
    /// The dialect of seed 003's clients: `info.json` beside a zip and its files.
    package static let infoJSON = Dialect(rawValue: "info-json")
}
