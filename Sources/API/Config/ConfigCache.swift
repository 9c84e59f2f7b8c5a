import Domain
import HTTP
import Platform
import Synchronization

/// The cache of prepared `/config` responses and their fragments.
final class ConfigCache: Sendable {
    /// The limits on cached documents of one base URL for devices that send facts; a new view empties the cache.
    ///
    /// Clients can send arbitrary facts. If the cache is full, a device gets the planned patches; if its document is
    /// still not cached, it is made for each request.
    static let keptCount = 256
    static let keptBytes = 16 << 20

    /// The name of a document: equal keys have equal bytes while the view is the same.
    struct Key: Hashable {
        let base: ClientBase
        let variant: ConfigVariant
    }

    /// The cached responses of one base URL.
    private struct Entries {
        private var plain: ConfigResponses?
        private var signedPlain: ConfigResponses?
        private var others: [ConfigVariant: ConfigResponses] = [:]
        private var bytes = 0
        /// The fragments of the view's entries, shared by all documents.
        private(set) var fragments: ConfigFragments?
        /// The view of the cached documents; it only moves forward.
        private var view: ChannelView?

        subscript(_ variant: ConfigVariant) -> ConfigResponses? {
            if variant == .plain { return plain }
            return variant == .plain.signed ? signedPlain : others[variant]
        }

        func hasRoom(for variant: ConfigVariant, in view: ChannelView) -> Bool {
            guard variant != .plain, variant != .plain.signed, view === self.view, others[variant] == nil,
                !variant.namesDownload
            else { return true }
            return others.count < ConfigCache.keptCount && bytes < ConfigCache.keptBytes
        }

        mutating func keep(_ made: ConfigFragments) {
            guard made.view.configVersion >= fragments?.view.configVersion ?? .min else { return }
            fragments = made
        }

        mutating func keep(_ made: ConfigResponses) {
            guard made.view.configVersion >= view?.configVersion ?? .min else { return }
            if made.view !== view {
                view = made.view
                others = [:]
                bytes = 0
            }
            let variant = made.key.variant
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

    private let entries = Mutex<[ClientBase: Entries]>([:])

    /// The responses made last, whether they are still valid or not.
    subscript(_ key: Key) -> ConfigResponses? { entries.withLock { $0[key.base]?[key.variant] } }

    /// Returns whether a document is cached, could be cached, or is never cached at all.
    func hasRoom(for key: Key, in view: ChannelView) -> Bool {
        entries.withLock { $0[key.base]?.hasRoom(for: key.variant, in: view) ?? true }
    }

    /// Returns whether the document is cached, so that other clients get the same bytes.
    func holds(_ responses: ConfigResponses) -> Bool {
        self[responses.key]?.content.etagName == responses.content.etagName
    }

    /// Caches responses unless newer ones are cached, and returns them.
    ///
    /// - Parameter make: Returns the responses with the codings that another request has made meanwhile.
    func keep(
        _ content: ConfigContent, under key: Key, in view: ChannelView, _ make: (ConfigContent) -> ConfigResponses
    ) -> ConfigResponses {
        entries.withLock { entries in
            Self.removeRetired(&entries, in: view)
            let held = entries[key.base]?[key.variant]?.content
            let made = make(held?.etagName == content.etagName ? held ?? content : content)
            entries[key.base, default: Entries()].keep(made)
            return made
        }
    }

    /// Replaces the cached responses by those with the codings of their document, if the document is still current.
    func replace(_ coded: ConfigContent, under key: Key, _ make: (ConfigResponses) -> ConfigResponses) {
        entries.withLock { entries in
            guard let last = entries[key.base]?[key.variant], last.content.etagName == coded.etagName else { return }
            entries[key.base]?.keep(make(last))
        }
    }

    /// Returns the fragments of a view; makes and caches them unless those of a newer view are cached.
    func fragments(of view: ChannelView, at base: ClientBase, _ make: () -> ConfigFragments) -> ConfigFragments {
        if let known = entries.withLock({ $0[base]?.fragments }), known.view === view { return known }
        let made = make()
        entries.withLock { $0[base, default: Entries()].keep(made) }
        return made
    }

    /// Removes the responses of legacy keys that are no longer in use.
    private static func removeRetired(_ entries: inout [ClientBase: Entries], in view: ChannelView) {
        for base in entries.keys where base.app == view.app {
            if let key = base.legacyKey, !view.legacyKeys.contains(key) { entries[base] = nil }
        }
    }
}
