package import Ground

/// A patch that devices ask for, from a base that no plan names.
package struct PatchWish: Hashable, Sendable {
    package let app: AppID
    package let package: PackageID
    package let pair: VersionPair

    package init(app: AppID, package: PackageID, pair: VersionPair) {
        self.app = app
        self.package = package
        self.pair = pair
    }
}

/// The bases that devices asked for patches to one version from, the one asked for last first.
package struct PatchDemand: Sendable, Equatable {
    package struct Base: Sendable, Equatable {
        package let version: VersionString
        package let askedAt: Timestamp

        package init(version: VersionString, askedAt: Timestamp) {
            self.version = version
            self.askedAt = askedAt
        }
    }

    package let bases: [Base]

    package init(_ bases: [Base] = []) { self.bases = bases }

    /// Bases that patches to one version are on offer from at most, beside those of the plan.
    package static let offeredCount = 32
    /// Milliseconds for which a base that was asked for keeps its place; noted anew as often.
    package static let renewal: Int64 = 3_600_000

    /// The bases whose patches are on offer.
    ///
    /// - Parameter planned: Those of the plan, which take no place.
    package func offered(besides planned: [VersionString]) -> [Base] {
        Array(bases.filter { !planned.contains($0.version) }.prefix(Self.offeredCount))
    }

    /// Whether a further base gets a place: there is one, or one that nobody has asked for lately.
    package func admitsMore(besides planned: [VersionString], at now: Timestamp) -> Bool {
        let offered = offered(besides: planned)
        guard offered.count == Self.offeredCount, let last = offered.last else { return true }
        // What a clock noted that was ahead keeps no place.
        return last.askedAt > now || now.milliseconds - last.askedAt.milliseconds >= Self.renewal
    }
}
