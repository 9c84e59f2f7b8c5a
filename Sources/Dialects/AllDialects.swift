package import API
package import Domain

/// Returns all dialects of a server, in the order in which messages name them.
///
/// A new dialect is added here.
///
/// - Parameter newestPackageAt: The package of the default app whose newest archive is at `/@` (clients.md O5).
package func allDialects(newestPackageAt: PackageID? = nil) -> [any ServedDialect] {
    [NewestPackageDialect(packageAt: newestPackageAt), InfoJSONDialect(), ResourcesJSONDialect()]
}
