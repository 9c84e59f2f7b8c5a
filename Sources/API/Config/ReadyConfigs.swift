import HTTP
import Platform

/// The cache of prepared `/config` responses for one base URL.
struct ReadyConfigs {
    /// The limits on cached documents for devices that send facts; a new view empties the cache.
    ///
    /// Clients can send arbitrary facts. If the cache is full, a device gets the planned patches; if its document is
    /// still not cached, it is made for each request.
    static let keptCount = 256
    static let keptBytes = 16 << 20

    private var plain: ConfigAnswers?
    private var signedPlain: ConfigAnswers?
    private var others: [ConfigVariant: ConfigAnswers] = [:]
    private var bytes = 0
    /// The fragments of the view's entries, shared by all documents.
    private(set) var fragments: ConfigFragments?
    /// The view of the cached documents; it only moves forward.
    private var view: ChannelView?

    subscript(_ variant: ConfigVariant) -> ConfigAnswers? {
        if variant == .plain { return plain }
        return variant == .plain.signed ? signedPlain : others[variant]
    }

    /// Returns whether a document of this variant is cached, could be cached, or is never cached at all.
    func hasRoom(for variant: ConfigVariant, in view: ChannelView) -> Bool {
        guard variant != .plain, variant != .plain.signed, view === self.view, others[variant] == nil,
            !variant.namesDownload
        else { return true }
        return others.count < Self.keptCount && bytes < Self.keptBytes
    }

    /// Caches the fragments of a view unless those of a newer view are cached.
    mutating func keep(_ made: ConfigFragments) {
        guard made.view.configVersion >= fragments?.view.configVersion ?? .min else { return }
        fragments = made
    }

    /// Caches responses unless newer ones are cached.
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
