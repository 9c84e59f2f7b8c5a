import Domain
import Platform

/// The cache key of a `/config` document: devices with equal variants get the same bytes.
struct ConfigVariant: Hashable {
    /// The document for requests without device facts.
    static let plain = ConfigVariant(choices: [], reportsVersions: false, patches: .planned, only: nil)

    private let choices: [DeviceView.Choice]
    private let reportsVersions: Bool
    private(set) var patches: PatchSelection
    let only: Set<PackageID>?
    /// Whether the document names a download time, which hardly any two devices share.
    var namesDownload: Bool { choices.contains { $0.downloadAfter != nil } }
    /// Whether the response is signed as a whole.
    private(set) var isSigned = false

    private init(
        choices: [DeviceView.Choice], reportsVersions: Bool, patches: PatchSelection, only: Set<PackageID>?
    ) {
        self.choices = choices
        self.reportsVersions = reportsVersions
        self.patches = patches
        self.only = only
    }

    init(_ device: DeviceView, asking query: DeviceQuery) {
        self.init(
            choices: device.choices, reportsVersions: device.reportsVersions,
            patches: query.facts.holdings.map { PatchSelection(for: $0, in: device) } ?? .planned,
            // Packages that the view does not have make no difference.
            only: query.only.map { names in names.filter { device.entry(of: $0) != nil } })
    }

    /// A copy of the variant that is signed as a whole.
    var signed: ConfigVariant {
        var variant = self
        variant.isSigned = true
        return variant
    }

    /// A copy of this variant that lists the planned patches instead of the requested ones.
    var withPlannedPatches: ConfigVariant {
        var variant = self
        variant.patches = .planned
        return variant
    }
}
