/// The reason why a device does not get a release set.
struct SetObstacle: Sendable, Equatable {
    let set: ReleaseSetID
    /// The first package of which the device gets neither the set's release nor one of higher rank.
    let package: PackageID
    let version: VersionString
    let refusal: Refusal

    /// Returns the reason why the device does not get the set's release of a package.
    func refusal(of package: PackageID) -> Refusal {
        package == self.package ? refusal : .set(set, lacking: self.package, version, because: refusal)
    }
}
