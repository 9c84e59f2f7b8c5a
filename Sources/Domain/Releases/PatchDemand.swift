package import Ground

/// A patch that devices requested, from a base that is not planned.
package struct PatchRequest: Hashable, Sendable {
    package let app: AppID
    package let package: PackageID
    package let pair: VersionPair

    package init(app: AppID, package: PackageID, pair: VersionPair) {
        self.app = app
        self.package = package
        self.pair = pair
    }
}

/// The bases from which devices requested patches to one version, most recent request first.
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

    /// The number of unplanned bases whose patches are offered.
    package static let offeredCount = 32
    /// The milliseconds for which a requested base keeps its slot; requests are recorded as often.
    package static let renewal: Int64 = 3_600_000

    /// Returns the bases whose patches are offered.
    ///
    /// - Parameter planned: The planned bases, which take no slot.
    package func offered(besides planned: [VersionString]) -> [Base] {
        Array(bases.filter { !planned.contains($0.version) }.prefix(Self.offeredCount))
    }

    /// Returns whether a further base gets a slot: a free one, or one without a recent request.
    package func admitsMore(besides planned: [VersionString], at now: Timestamp) -> Bool {
        let offered = offered(besides: planned)
        guard offered.count == Self.offeredCount, let last = offered.last else { return true }
        // A request with a future time, recorded by a clock that was ahead, keeps no slot.
        return last.askedAt > now || now.milliseconds - last.askedAt.milliseconds >= Self.renewal
    }
}
