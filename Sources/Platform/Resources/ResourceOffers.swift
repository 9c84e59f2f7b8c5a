package import Domain

/// What the packages of an app with the dialect of seed 004 are told as on a channel.
package struct ResourceOffers: Sendable {
    /// All that have the dialect, whether there is anything to tell or not; by id.
    package let packages: [PackageID]
    package let byPackage: [PackageID: ResourceOffer]

    static let none = ResourceOffers(packages: [], byPackage: [:])
}
