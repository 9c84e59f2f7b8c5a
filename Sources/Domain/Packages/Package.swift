package import Ground

/// An offline package of an app, with its settings.
package struct Package: Sendable, Equatable {
    package let app: AppID
    package let id: PackageID
    package var name: String
    /// The page that opens first; `nil` for a package of shared files.
    package var entry: TreePath?
    package var urlPrefix: URLPrefix
    /// Whether updates are enabled; if not, clients of seed 000 keep what they have (clients.md K3).
    package var isEnabled: Bool
    /// The priority; higher packages are downloaded first (clients.md K7).
    package var priority: Int64
    /// The client protocols besides `/config` that offer the package.
    package var dialects: Set<Dialect>
    /// The resource settings for clients of seed 004.
    package var resources: ResourceSettings
    /// The permissions of the pages in the host app; `nil` to send devices none.
    package var permissions: PagePermissions?
    /// The end of the period in which the pages come from the network, for clients that support it.
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
    /// The longest such period, in milliseconds.
    package static let maximumOnline: Int64 = 30 * 86_400_000

    /// Whether devices use their copies.
    package var isUsedOffline: Bool { isEnabled && onlineUntil == nil }
}
