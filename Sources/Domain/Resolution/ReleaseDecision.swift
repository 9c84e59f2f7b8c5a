package import Ground

/// The decision that a device gets a release (semantics.md §2).
///
/// It goes from resolution to `/config` and every dialect as it is.
package struct ReleaseDecision: Hashable, Sendable {
    private let candidate: Candidate
    /// The highest rank, up to that of the release, of a mandatory release that matches the device.
    package let mandatoryAfter: Rank?
    /// Whether the device has to update before it opens the package; `nil` if it does not say what it has.
    package let isMandatory: Bool?
    /// The moment from which the device is to download the version; `nil` if it need not wait.
    package let downloadAfter: Timestamp?

    init(_ candidate: Candidate, mandatoryAfter: Rank?, isMandatory: Bool?, downloadAfter: Timestamp?) {
        self.candidate = candidate
        self.mandatoryAfter = mandatoryAfter
        self.isMandatory = isMandatory
        self.downloadAfter = downloadAfter
    }

    package var release: Release { candidate.release }
    /// The id alone, which is read without a copy of the release.
    package var releaseID: ReleaseID { candidate.release.id }

    package static func == (left: ReleaseDecision, right: ReleaseDecision) -> Bool {
        (left.candidate === right.candidate || left.release == right.release)
            && left.mandatoryAfter == right.mandatoryAfter && left.isMandatory == right.isMandatory
            && left.downloadAfter == right.downloadAfter
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(releaseID)
        hasher.combine(mandatoryAfter)
        hasher.combine(isMandatory)
        hasher.combine(downloadAfter)
    }
}

/// The releases of one package that a device gets.
package struct PackageDecision: Hashable, Sendable {
    /// The release that the device gets now.
    package let current: ReleaseDecision?
    /// The release that the device gets next, from its activeTime on; it may be downloaded ahead.
    package let next: ReleaseDecision?

    package static let nothing = PackageDecision(current: nil, next: nil)

    init(current: ReleaseDecision?, next: ReleaseDecision?) {
        self.current = current
        self.next = next
    }
}
