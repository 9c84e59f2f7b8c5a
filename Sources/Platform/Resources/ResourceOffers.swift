package import Domain

/// The offers of an app's packages on a channel to seed 004's clients.
package struct ResourceOffers: Sendable {
    /// The packages that have the dialect, by id, whether they have an offer or not.
    package let packages: [PackageID]
    package let byPackage: [PackageID: ResourceOffer]

    static let none = ResourceOffers(packages: [], byPackage: [:])
}
