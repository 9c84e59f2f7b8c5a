package import Domain
import Execution

/// Apps, channels and packages: what there is to publish to; and what is told of what was published.
package final class Catalogue: Sendable {
    let live: LiveApps
    private let keys: KeyRing
    let clock: any WallClock
    /// So that an app is loaded once: whoever waits for its changes waits on one object.
    private let creating = AsyncGate(width: 1)

    package init(live: LiveApps, keys: KeyRing, clock: any WallClock) {
        self.live = live
        self.keys = keys
        self.clock = clock
    }

    /// Makes an app with its keys and its first channel; `false` where it was there.
    package func createApp(_ id: AppID, by author: Operator) async throws(PlatformError) -> Bool {
        try await creating.pass { () throws(PlatformError) in
            guard live.app(id) == nil else { return false }
            let audit = author.audit("app.create", id.text, in: id, at: clock.now())
            let isNew = try await live.store.createApp(id, keys: try await keys.firstKeys(of: id), audit: audit)
            // Also one that is not new: it may have been made by a request that failed before it was seen.
            try await live.load(id)
            return isNew
        }
    }

    /// `false` where it was there.
    package func declareChannel(
        _ channel: ChannelName, of app: LiveApp, by author: Operator
    )
        async throws(PlatformError) -> Bool
    {
        try await live.change(app) { () throws(PlatformError) in
            let audit = author.audit("channel.declare", channel.text, in: app.id, at: clock.now())
            return try await live.store.declareChannel(channel, of: app.id, audit: audit)
        }
    }

    /// What a `PUT` on a package may set; what is `nil` stays as it is, or has its default on a new package.
    package struct PackageSettings: Sendable, Equatable {
        package var name: String?
        /// Twice optional: absent, or `nil` for a package without an entry page.
        package var entry: TreePath??
        package var urlPrefix: URLPrefix?
        package var isEnabled: Bool?
        package var priority: Int64?

        package init(
            name: String? = nil, entry: TreePath?? = nil, urlPrefix: URLPrefix? = nil, isEnabled: Bool? = nil,
            priority: Int64? = nil
        ) {
            self.name = name
            self.entry = entry
            self.urlPrefix = urlPrefix
            self.isEnabled = isEnabled
            self.priority = priority
        }
    }

    /// Makes or changes a package; `isNew` says which.
    ///
    /// Throws `nameTaken`, and `forbidden` where a publisher would change what every device is told at once.
    package func putPackage(
        _ id: PackageID, _ settings: PackageSettings, of app: LiveApp, by author: Operator
    )
        async throws(PlatformError) -> (package: Package, isNew: Bool)
    {
        try await live.change(app) { () throws(PlatformError) in
            let old = try await live.store.package(id, in: app.id)
            let package = Self.merge(settings, into: old, id: id, app: app.id)
            if let old { try Self.require(author, toChange: old, to: package) }
            let audit = author.audit(
                "package.put", id.text, in: app.id, at: clock.now(),
                [
                    .init("name", .string(package.name)),
                    .init("entry", package.entry.map { .string($0.text) } ?? .null),
                    .init("urlPrefix", .string(package.urlPrefix.text)), .init("enable", .bool(package.isEnabled)),
                    .init("priority", .integer(package.priority)),
                ])
            return (package, try await live.store.putPackage(package, audit: audit))
        }
    }

    /// The packages of an app, by id.
    package func packages(of app: LiveApp) async throws(PlatformError) -> [Package] {
        try await live.store.packages(of: app.id)
    }

    /// The package, or `packageNotFound`.
    package func requirePackage(_ id: PackageID, of app: LiveApp) async throws(PlatformError) -> Package {
        guard let package = try await live.store.package(id, in: app.id) else {
            throw PlatformError(
                .packageNotFound,
                "The app '\(app.id)' has no package '\(id)'. Make it first: PUT /api/v1/apps/\(app.id)/packages/\(id).")
        }
        return package
    }

    /// Unlike the other settings, which are frozen into versions, these two hold as soon as they are set.
    private static func require(
        _ author: Operator, toChange old: Package, to package: Package
    ) throws(PlatformError) {
        guard author.role < .releaser, old.isEnabled != package.isEnabled || old.priority != package.priority else {
            return
        }
        throw PlatformError(
            .forbidden,
            "This token has the role '\(author.role.rawValue)'; changing 'enable' or 'priority' of a package, which "
                + "every device is told at once, needs '\(Role.releaser.rawValue)'.")
    }

    private static func merge(_ settings: PackageSettings, into old: Package?, id: PackageID, app: AppID) -> Package {
        Package(
            app: app, id: id, name: settings.name ?? old?.name ?? id.text,
            entry: settings.entry ?? old.map(\.entry) ?? .index,
            urlPrefix: settings.urlPrefix ?? old?.urlPrefix ?? .root,
            isEnabled: settings.isEnabled ?? old?.isEnabled ?? true,
            priority: settings.priority ?? old?.priority ?? Package.defaultPriority)
    }
}
