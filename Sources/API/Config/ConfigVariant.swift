import Domain
import Platform

/// What sets the answers for some devices apart from those for others; devices that share it share the bytes.
struct ConfigVariant: Hashable {
    /// The document for requests without device facts.
    static let plain = ConfigVariant(choices: [], saysWhatItHas: false, patches: .planned, only: nil)

    private let choices: [DeviceView.Choice]
    private let saysWhatItHas: Bool
    private(set) var patches: PatchSelection
    let only: Set<PackageID>?
    /// Whether it says when to download something, which is hardly any other device's time.
    var namesDownload: Bool { choices.contains { $0.downloadAfter != nil } }
    /// Whether the answer is signed as a whole.
    private(set) var isSigned = false

    private init(
        choices: [DeviceView.Choice], saysWhatItHas: Bool, patches: PatchSelection, only: Set<PackageID>?
    ) {
        self.choices = choices
        self.saysWhatItHas = saysWhatItHas
        self.patches = patches
        self.only = only
    }

    init(_ device: DeviceView, asking query: DeviceQuery) {
        self.init(
            choices: device.choices, saysWhatItHas: device.saysWhatItHas,
            patches: query.facts.holdings.map { PatchSelection(for: $0, in: device) } ?? .planned,
            // What there is nothing of makes no difference.
            only: query.only.map { names in names.filter { device.entry(of: $0) != nil } })
    }

    /// The same, signed as a whole.
    var signed: ConfigVariant {
        var variant = self
        variant.isSigned = true
        return variant
    }

    /// The same with the patches of the plan.
    var withPlannedPatches: ConfigVariant {
        var variant = self
        variant.patches = .planned
        return variant
    }
}
