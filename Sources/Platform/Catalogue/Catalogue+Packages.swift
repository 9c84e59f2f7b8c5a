package import Domain

/// Packages: their settings.
extension Catalogue {
    /// What a `PUT` on a package may set; what is `nil` stays as it is, or has its default on a new package.
    package struct PackageSettings: Sendable, Equatable {
        package var name: String?
        /// Twice optional: absent, or `nil` for a package without an entry page.
        package var entry: TreePath??
        package var urlPrefix: URLPrefix?
        package var isEnabled: Bool?
        package var priority: Int64?
        package var dialects: Set<Dialect>?
        package var resources: ResourceSettings?
        /// Twice optional: absent, or `nil` to tell devices nothing.
        package var permissions: PagePermissions??
        /// Twice optional: absent, or `nil` to use the package again.
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

    /// How often what is on offer is made ready for a dialect before a release that comes in between wins.
    private static let attempts = 3

    /// Makes or changes a package; `isNew` says which.
    ///
    /// Before a dialect is turned on, what is on offer is made ready for it, which may take as long as building archives
    /// does. Throws `nameTaken`, `conflict` where a dialect's clients cannot have the package or what is on offer of it,
    /// and `forbidden` where a publisher would change what every device is told at once.
    package func putPackage(
        _ id: PackageID, _ settings: PackageSettings, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> (package: Package, isNew: Bool) {
        for _ in 0..<Self.attempts {
            let ready = try await makeReady(id, settings, of: app, by: author)
            let done = try await live.change(app) { () throws(PlatformError) -> (package: Package, isNew: Bool)? in
                let old = try await live.store.package(id, in: app.id)
                try precondition?.require(old?.tag(by: keys.cryptography), of: "The package '\(id)'")
                return try await put(id, settings, over: old, of: app, ready: ready, by: author)
            }
            if let done { return done }
        }
        throw PlatformError(
            .conflict,
            "Versions of '\(id)' were released while the dialects were being turned on: set them again.")
    }

    /// What is on offer, ready for the dialects that are to be turned on.
    private func makeReady(
        _ id: PackageID, _ settings: PackageSettings, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Set<VersionString> {
        // Most changes of a package turn none on, and wait for nothing.
        guard settings.dialects?.isEmpty == false || settings.resources != nil else { return [] }
        let old = try await live.store.package(id, in: app.id)
        let package = Self.merge(settings, into: old, id: id, app: app.id)
        try Self.require(author, toChange: old, to: package)
        guard let turnedOn = Self.turnedOn(in: package, since: old) else { return [] }
        return try await self.dialects.prepareOffered(of: turnedOn, by: author)
    }

    /// Commits the change; `nil`, and nothing is changed, where more than `ready` has to be made ready first.
    private func put(
        _ id: PackageID, _ settings: PackageSettings, over old: Package?, of app: LiveApp, ready: Set<VersionString>,
        by author: Operator
    ) async throws(PlatformError) -> (package: Package, isNew: Bool)? {
        let package = Self.merge(settings, into: old, id: id, app: app.id)
        try Self.require(author, toChange: old, to: package)
        if let turnedOn = Self.turnedOn(in: package, since: old) {
            guard try await dialects.offered(of: turnedOn).isSubset(of: ready) else { return nil }
        }
        let audit = author.audit(
            .putPackage, id.text, in: app.id, at: clock.now(),
            package.settings + [
                .init("onlineUntil", package.onlineUntil.map { .string($0.rfc3339) } ?? .null)
            ])
        return (package, try await live.store.putPackage(package, audit: audit))
    }

    /// The package with the dialects alone that it did not have; `nil` where there are none.
    private static func turnedOn(in package: Package, since old: Package?) -> Package? {
        var turnedOn = package
        turnedOn.dialects.subtract(old?.dialects ?? [])
        // With other settings it is as good as new.
        if let old, old.resources != package.resources, package.dialects.contains(.resourcesJSON) {
            turnedOn.dialects.insert(.resourcesJSON)
        }
        return turnedOn.dialects.isEmpty ? nil : turnedOn
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

    /// Unlike the other settings, which are frozen into versions, these hold as soon as they are set; what pages may use
    /// is for a releaser to say of a new package, too.
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
        guard author.role < .releaser, !isSame else { return }
        throw PlatformError(
            .forbidden,
            "This token has the role '\(author.role.rawValue)'; changing 'enable', 'priority', 'dialects', 'resources' or "
                + "'permissions' of a package, which every device is told at once, needs '\(Role.releaser.rawValue)'.")
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
