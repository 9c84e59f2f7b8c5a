import HTTP
import Platform

/// The answers of one base URL that are made: for whoever says nothing, and for devices that say something.
struct ReadyConfigs {
    /// Documents for devices that say something, until the next change, and bytes of them as they are.
    ///
    /// Anyone may say anything: who comes when there are so many gets the patches of the plan, and where that helps
    /// nothing, a document of its own each time.
    static let keptCount = 256
    static let keptBytes = 16 << 20

    private var plain: ConfigAnswers?
    private var signedPlain: ConfigAnswers?
    private var others: [ConfigVariant: ConfigAnswers] = [:]
    private var bytes = 0
    /// Of the view's entries, for all of these and further ones.
    private(set) var fragments: ConfigFragments?
    /// Of what is kept; never an older one than was kept before.
    private var view: ChannelView?

    subscript(_ variant: ConfigVariant) -> ConfigAnswers? {
        if variant == .plain { return plain }
        return variant == .plain.signed ? signedPlain : others[variant]
    }

    /// Whether answers of this kind need be made no smaller in number: they would be kept, or never are.
    func hasRoom(for variant: ConfigVariant, in view: ChannelView) -> Bool {
        guard variant != .plain, variant != .plain.signed, view === self.view, others[variant] == nil,
            !variant.namesDownload
        else { return true }
        return others.count < Self.keptCount && bytes < Self.keptBytes
    }

    /// Keeps what documents of a view are put together of, unless those of a newer one are kept.
    mutating func keep(_ made: ConfigFragments) {
        guard made.view.configVersion >= fragments?.view.configVersion ?? .min else { return }
        fragments = made
    }

    /// Keeps answers, unless newer ones are kept already.
    mutating func keep(_ made: ConfigAnswers, for variant: ConfigVariant) {
        guard made.view.configVersion >= view?.configVersion ?? .min else { return }
        if made.view !== view {
            view = made.view
            others = [:]
            bytes = 0
        }
        guard variant != .plain else {
            plain = made
            return
        }
        guard variant != .plain.signed else {
            signedPlain = made
            return
        }
        guard made.downloadAfter == nil, hasRoom(for: variant, in: made.view) else { return }
        bytes -= others[variant]?.content.body.identity.count ?? 0
        bytes += made.content.body.identity.count
        others[variant] = made
    }
}
