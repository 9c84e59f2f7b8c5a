package import Ground

/// The decision that a device gets a release (semantics.md §2).
///
/// The same value passes from resolution to `/config` and every dialect.
package struct ReleaseDecision: Hashable, Sendable {
    private let candidate: Candidate
    /// The highest rank of a mandatory release that matches the device, up to the release's own rank.
    package let mandatoryAfter: Rank?
    /// Whether the update is mandatory; `nil` if the device does not send the versions that it has.
    package let isMandatory: Bool?
    /// The time from which the device may download the version; `nil` if it need not wait.
    package let downloadAfter: Timestamp?

    init(_ candidate: Candidate, mandatoryAfter: Rank?, isMandatory: Bool?, downloadAfter: Timestamp?) {
        self.candidate = candidate
        self.mandatoryAfter = mandatoryAfter
        self.isMandatory = isMandatory
        self.downloadAfter = downloadAfter
    }

    package var release: Release { candidate.release }
    /// The id of the release, read without copying the release.
    package var releaseID: ReleaseID { candidate.release.id }

    package static func == (left: ReleaseDecision, right: ReleaseDecision) -> Bool {
        left.releaseID == right.releaseID
            && (left.candidate === right.candidate || left.release == right.release)
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
