/// An offline package of an app: its settings, which change; its versions never do.
package struct Package: Sendable, Equatable {
    package let app: AppID
    package let id: PackageID
    package var name: String
    /// The page that opens first; `nil` for a package of common files.
    package var entry: TreePath?
    package var urlPrefix: URLPrefix
    /// Off: clients of seed 000 get no update and keep what they have (clients.md K3).
    package var isEnabled: Bool
    /// Higher ones are downloaded first (clients.md K7).
    package var priority: Int64
    /// In whose words it is told of as well, beside `/config`.
    package var dialects: Set<Dialect>
    /// What clients of seed 004 are told of its files.
    package var resources: ResourceSettings
    /// What its pages may use of the app that opens them; `nil` where devices are told nothing of that.
    package var permissions: PagePermissions?
    /// Until when its pages are to come from the network, where clients know how.
    package var onlineUntil: Timestamp?

    package init(
        app: AppID, id: PackageID, name: String, entry: TreePath?, urlPrefix: URLPrefix, isEnabled: Bool,
        priority: Int64, dialects: Set<Dialect> = [], resources: ResourceSettings = ResourceSettings(),
        permissions: PagePermissions? = nil, onlineUntil: Timestamp? = nil
    ) {
        self.app = app
        self.id = id
        self.name = name
        self.entry = entry
        self.urlPrefix = urlPrefix
        self.isEnabled = isEnabled
        self.priority = priority
        self.dialects = dialects
        self.resources = resources
        self.permissions = permissions
        self.onlineUntil = onlineUntil
    }

    package static let defaultPriority: Int64 = 999
    package static let maximumNameLength = 200
    /// Milliseconds for which its pages may come from the network at once.
    package static let maximumOnline: Int64 = 30 * 86_400_000

    /// Whether devices are to use the copies that they have.
    package var isUsedOffline: Bool { isEnabled && onlineUntil == nil }
}
