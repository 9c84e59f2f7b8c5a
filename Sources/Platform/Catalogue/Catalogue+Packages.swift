package import Domain
package import Ground

/// The management of packages and their settings.
extension Catalogue {
    /// The settings that a `PUT` on a package may carry.
    ///
    /// A setting that is `nil` keeps its value, or gets its default on a new package.
    package struct PackageSettings: Sendable, Equatable {
        package var name: String?
        /// The entry page: `nil` if not set, `.some(nil)` for a package without an entry page.
        package var entry: TreePath??
        package var urlPrefix: URLPrefix?
        package var isEnabled: Bool?
        package var priority: Int64?
        package var dialects: Set<Dialect>?
        package var resources: ResourceSettings?
        /// The permissions of the pages: `nil` if not set, `.some(nil)` to send devices none.
        package var permissions: PagePermissions??
        /// The end of online use: `nil` if not set, `.some(nil)` to use the package again.
        package var onlineUntil: Timestamp??

        package init(
            name: String? = nil, entry: TreePath?? = nil, urlPrefix: URLPrefix? = nil, isEnabled: Bool? = nil,
            priority: Int64? = nil, dialects: Set<Dialect>? = nil, resources: ResourceSettings? = nil,
            permissions: PagePermissions?? = nil, onlineUntil: Timestamp?? = nil
        ) {
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
    }

    /// The number of attempts to prepare the offered versions for a dialect before a concurrent release wins.
    private static let attempts = 3

    /// Creates or changes a package; returns it and whether it is new.
    ///
    /// Before a dialect is turned on, the offered versions are prepared for it, which may take as long as building
    /// archives. Throws `nameTaken`, `conflict` if the package or an offered version does not fit a dialect, and
    /// `forbidden` if a publisher would change settings that reach every device at once.
    package func putPackage(
        _ id: PackageID, _ settings: PackageSettings, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> (package: Package, isNew: Bool) {
        let done = try await live.change(app, attempts: Self.attempts) { () throws(PlatformError) in
            try await makeReady(id, settings, of: app, by: author)
        } committing: { ready throws(PlatformError) in
            let old = try await store.package(id, in: app.id)
            try precondition?.require(old?.tag(by: keys.cryptography), of: "The package '\(id)'")
            return try await put(id, settings, over: old, of: app, ready: ready, by: author)
        }
        if let done { return done }
        throw PlatformError(
            .conflict,
            "Versions of '\(id)' were released while the dialects were being turned on. Repeat the request.")
    }

    /// Prepares the offered versions for the dialects that the settings turn on, and returns these versions.
    private func makeReady(
        _ id: PackageID, _ settings: PackageSettings, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Set<VersionString> {
        // Most changes turn no dialect on and skip the preparation.
        guard settings.dialects?.isEmpty == false || settings.resources != nil else { return [] }
        let old = try await store.package(id, in: app.id)
        let package = Self.merge(settings, into: old, id: id, app: app.id)
        try Self.require(author, toChange: old, to: package)
        guard let turnedOn = turnedOn(in: package, since: old) else { return [] }
        return try await self.dialects.prepareOffered(of: turnedOn, by: author)
    }

    /// Commits the change; returns `nil`, without a change, if versions besides `ready` have to be prepared first.
    private func put(
        _ id: PackageID, _ settings: PackageSettings, over old: Package?, of app: LiveApp, ready: Set<VersionString>,
        by author: Operator
    ) async throws(PlatformError) -> (package: Package, isNew: Bool)? {
        let package = Self.merge(settings, into: old, id: id, app: app.id)
        try Self.require(author, toChange: old, to: package)
        if let turnedOn = turnedOn(in: package, since: old) {
            guard try await dialects.offered(of: turnedOn).isSubset(of: ready) else { return nil }
        }
        let audit = author.audit(
            .putPackage, id.text, in: app.id, at: clock.now(),
            package.auditMembers, change: AuditChange(from: old?.auditMembers, to: package.auditMembers))
        return (package, try await store.putPackage(package, audit: audit))
    }

    /// Returns a copy of the package that has only the newly turned-on dialects; `nil` if there are none.
    private func turnedOn(in package: Package, since old: Package?) -> Package? {
        var turnedOn = package
        turnedOn.dialects.subtract(old?.dialects ?? [])
        // Changed settings of a dialect require the same preparation as a dialect that is turned on.
        if let old {
            for rules in live.dialects.rules(of: package.dialects) where rules.needsPreparation(of: package, since: old)
            {
                turnedOn.dialects.insert(rules.dialect)
            }
        }
        return turnedOn.dialects.isEmpty ? nil : turnedOn
    }

    /// Returns the packages of an app, by id.
    package func packages(of app: LiveApp) async throws(PlatformError) -> [Package] {
        try await store.packages(of: app.id)
    }

    /// Returns a page of the packages of an app, and whether further packages follow.
    package func packages(
        of app: LiveApp, _ query: PackageQuery
    ) async throws(PlatformError) -> (packages: [Package], hasMore: Bool) {
        var query = query
        let limit = query.limit
        query.limit += 1
        let packages = try await store.packages(of: app.id, query)
        return (Array(packages.prefix(limit)), packages.count > limit)
    }

    /// Deletes a package of which no version was ever published, and returns it.
    ///
    /// Throws `packageNotFound`, `preconditionFailed` and `conflict`.
    package func deletePackage(
        _ id: PackageID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Package {
        try await live.change(app) { () throws(PlatformError) in
            let known = try await store.package(id, in: app.id)
            try precondition?.require(known?.tag(by: keys.cryptography), of: "The package '\(id)'")
            let audit = author.audit(
                .deletePackage, id.text, in: app.id, at: clock.now(),
                change: known.map { .removed($0.auditMembers) } ?? .none)
            guard let known, try await store.removePackage(id, in: app.id, audit: audit) else {
                throw PlatformError(.packageNotFound, "The app '\(app.id)' has no package '\(id)'.")
            }
            return known
        }
    }

    /// Returns the package, or throws `packageNotFound`.
    package func requirePackage(_ id: PackageID, of app: LiveApp) async throws(PlatformError) -> Package {
        guard let package = try await store.package(id, in: app.id) else {
            throw PlatformError(
                .packageNotFound,
                "The app '\(app.id)' has no package '\(id)'. Create it first:", remedy: .createPackage(id, in: app.id))
        }
        return package
    }

    /// Requires a releaser for settings that take effect at once, unlike the settings that are frozen into versions.
    ///
    /// Only a releaser may set the permissions of pages, on a new package as well.
    private static func require(
        _ author: Operator, toChange old: Package?, to package: Package
    ) throws(PlatformError) {
        let old =
            old
            ?? Package(
                app: package.app, id: package.id, name: package.name, entry: package.entry,
                urlPrefix: package.urlPrefix,
                isEnabled: package.isEnabled, priority: package.priority, dialects: package.dialects)
        let isSame =
            old.isEnabled == package.isEnabled && old.priority == package.priority
            && old.dialects == package.dialects && old.resources == package.resources
            && old.permissions == package.permissions
        guard !isSame, !author.has(.releaser, on: .app(package.app)) else { return }
        throw PlatformError(
            .forbidden,
            "\(author.roles) Changing 'enable', 'priority', 'dialects', 'resources' or "
                + "'permissions' of a package, which takes effect on every device at once, requires the role "
                + "'\(Role.releaser.rawValue)'.")
    }

    private static func merge(_ settings: PackageSettings, into old: Package?, id: PackageID, app: AppID) -> Package {
        Package(
            app: app, id: id, name: settings.name ?? old?.name ?? id.text,
            entry: settings.entry ?? old.map(\.entry) ?? .index,
            urlPrefix: settings.urlPrefix ?? old?.urlPrefix ?? .root,
            isEnabled: settings.isEnabled ?? old?.isEnabled ?? true,
            priority: settings.priority ?? old?.priority ?? Package.defaultPriority,
            dialects: settings.dialects ?? old?.dialects ?? [],
            resources: settings.resources ?? old?.resources ?? ResourceSettings(),
            permissions: settings.permissions ?? old?.permissions,
            onlineUntil: settings.onlineUntil ?? old?.onlineUntil)
    }
}
