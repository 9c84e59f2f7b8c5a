/// What the releases of one package come to for a device (semantics.md §2).
package struct Standing: Sendable, Equatable {
    /// What the device gets now.
    package let current: Offer?
    /// What it will get next, from its activeTime on; it may be downloaded ahead.
    package let next: Offer?

    package struct Offer: Sendable, Equatable {
        private let candidate: Candidate
        /// The highest rank up to the offer's own of a mandatory release that matches the device.
        package let mandatoryAfter: Rank?
        /// Whether the device has to update before it opens the package; `nil` where it does not say what it has.
        package let isMandatory: Bool?
        /// Where the device comes among those that download it; `nil` where it does not say who it is, or need not wait.
        package let downloadPlace: DownloadPlace?

        init(
            candidate: Candidate, mandatoryAfter: Rank?, isMandatory: Bool?, downloadPlace: DownloadPlace?
        ) {
            self.candidate = candidate
            self.mandatoryAfter = mandatoryAfter
            self.isMandatory = isMandatory
            self.downloadPlace = downloadPlace
        }

        package var release: Release { candidate.release }
        package var releaseID: ReleaseID { candidate.release.id }

        package static func == (left: Offer, right: Offer) -> Bool {
            left.release == right.release && left.mandatoryAfter == right.mandatoryAfter
                && left.isMandatory == right.isMandatory && left.downloadPlace == right.downloadPlace
        }
    }

    package static let nothing = Standing(current: nil, next: nil)

    init(current: Offer?, next: Offer?) {
        self.current = current
        self.next = next
    }
}
