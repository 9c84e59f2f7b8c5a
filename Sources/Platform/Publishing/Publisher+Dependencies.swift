import Domain

/// Checks of a version's dependencies, and of the versions that depend on its package.
extension Publisher {
    /// Throws `packageNotFound` if a dependency is the package itself or does not exist.
    func requireDependencies(of request: Request) async throws(PlatformError) {
        let package = request.package
        for dependency in request.requirements.dependencies {
            let needed = dependency.package
            guard needed != package.id, try await store.package(needed, in: package.app) != nil else {
                throw PlatformError(
                    .packageNotFound,
                    "The version needs '\(needed)', which is not another package of '\(package.app)'. Create that package "
                        + "first, or leave it out.")
            }
        }
    }

    /// Throws `conflict` if a version range would have to contain a version that cannot be ordered.
    ///
    /// This is so for an unordered version if another package depends on a range of this package, and for a version
    /// that depends on a range of a package with an unordered version on offer.
    func requireOrder(of request: Request) async throws(PlatformError) {
        let package = request.package
        if request.needsOrder, OrderedVersion(request.version.text) == nil,
            let dependent = try await store.dependents(of: package.id, in: package.app).first
        {
            throw PlatformError(
                .conflict,
                "\(dependent.package) \(dependent.version) needs \(package.id) \(dependent.range), and '\(request.version)' "
                    + "is in no range, because it has no order. Use a version string of \(OrderedVersion.shape).")
        }
        for dependency in request.requirements.dependencies {
            guard let version = try unorderedVersion(of: dependency.package, in: package.app) else { continue }
            throw PlatformError(
                .conflict,
                "The version needs \(dependency.package) \(dependency.range), and '\(dependency.package)' has '\(version)' on offer, "
                    + "which is in no range, because it has no order. First release to all of its devices "
                    + "a version of '\(dependency.package)' whose version string has \(OrderedVersion.shape).")
        }
    }

    /// Returns an offered or scheduled version, on any channel, that cannot be ordered.
    private func unorderedVersion(of package: PackageID, in app: AppID) throws(PlatformError) -> VersionString? {
        for view in try live.requireApp(app).allViews {
            let versions = view.entry(of: package)?.downloads.values.map(\.version.version) ?? []
            if let version = versions.first(where: { OrderedVersion($0.text) == nil }) { return version }
        }
        return nil
    }
}
