import HTTP
import Platform

/// The answers of one base URL that are made: for whoever says nothing, and for devices that say what they have.
struct ReadyConfigs {
    /// Documents for devices that say what they have, until the next change, and bytes of them as they are.
    ///
    /// Anyone may say anything: who comes when there are so many gets the patches of the plan.
    static let selectedCount = 256
    static let selectedBytes = 16 << 20

    private var planned: ConfigAnswers?
    private var selected: [PatchSelection: ConfigAnswers] = [:]
    private var bytes = 0
    /// Of what is kept; never an older one than was kept before.
    private var view: ChannelView?

    subscript(_ patches: PatchSelection) -> ConfigAnswers? {
        patches == .planned ? planned : selected[patches]
    }

    /// Whether answers for devices that have these versions would be kept.
    func hasRoom(for patches: PatchSelection, in view: ChannelView) -> Bool {
        guard view === self.view, selected[patches] == nil else { return true }
        return selected.count < Self.selectedCount && bytes < Self.selectedBytes
    }

    /// Keeps answers, unless newer ones are kept already.
    mutating func keep(_ made: ConfigAnswers, for patches: PatchSelection) {
        guard made.view.configVersion >= view?.configVersion ?? .min else { return }
        if made.view !== view {
            view = made.view
            selected = [:]
            bytes = 0
        }
        guard patches != .planned else {
            planned = made
            return
        }
        guard hasRoom(for: patches, in: made.view) else { return }
        bytes -= selected[patches]?.content.body.identity.count ?? 0
        bytes += made.content.body.identity.count
        selected[patches] = made
    }
}
