package import Ground

/// The resource list of a package on a channel for seed 004's clients, with the active time of each resource.
package struct ResourceList: Sendable, Equatable {
    package let version: ResourceConfigVersion
    package let isCached: Bool
    /// The moment at which clients begin to use the current version.
    package let updateMode: UpdateMode
    /// The active time of the current version.
    package let activeTime: Timestamp
    /// The new or changed resources of the scheduled version, then those of the current version, each by path.
    ///
    /// Clients take the first active resource that matches a URL, so they switch when the scheduled version becomes
    /// active.
    package let items: [Item]

    package struct Item: Sendable, Equatable, Identifiable {
        package struct ID: Sendable, Hashable {
            let resource: ResourceID
            let number: Int64
            let isComing: Bool
        }

        package let resource: Resource
        package let number: Int64
        package let activeTime: Timestamp
        /// Whether only the scheduled version has the resource.
        package let isComing: Bool

        package var id: ID { ID(resource: resource.id, number: number, isComing: isComing) }
    }

    /// The resources of one version in a list.
    package struct Part: Sendable {
        package let resources: [Resource]
        package let numbers: [ResourceID: Int64]
        package let activeTime: Timestamp

        package init(resources: [Resource], numbers: [ResourceID: Int64], activeTime: Timestamp) {
            self.resources = resources
            self.numbers = numbers
            self.activeTime = activeTime
        }
    }

    /// Merges both versions, since clients delete unlisted resources (clients.md P9).
    ///
    /// Resources that the scheduled version drops stay listed; resources that both versions have are listed once.
    package init(
        version: ResourceConfigVersion, isCached: Bool, updateMode: UpdateMode = .silent, current: Part, coming: Part?
    ) {
        self.version = version
        self.isCached = isCached
        self.updateMode = updateMode
        activeTime = current.activeTime
        let now = Self.items(current, areComing: false)
        let known = Dictionary(uniqueKeysWithValues: now.map { ($0.resource.id, $0) })
        let later = coming.map { Self.items($0, areComing: true) } ?? []
        items =
            later.filter { item in
                guard let same = known[item.resource.id] else { return true }
                return !(same.number == item.number && same.resource.isSame(as: item.resource))
            } + now
    }

    /// A copy with the current version's resources only, which a build of the app ships.
    package var current: ResourceList {
        ResourceList(
            version: version, isCached: isCached, updateMode: updateMode, activeTime: activeTime,
            items: items.filter { !$0.isComing })
    }

    private init(
        version: ResourceConfigVersion, isCached: Bool, updateMode: UpdateMode, activeTime: Timestamp, items: [Item]
    ) {
        self.version = version
        self.isCached = isCached
        self.updateMode = updateMode
        self.activeTime = activeTime
        self.items = items
    }

    private static func items(_ part: Part, areComing: Bool) -> [Item] {
        part.resources.compactMap { resource in
            part.numbers[resource.id].map { number in
                let activeTime = max(part.activeTime, resource.activeTime ?? part.activeTime)
                return Item(resource: resource, number: number, activeTime: activeTime, isComing: areComing)
            }
        }
    }
}

extension Resource {
    /// Returns whether clients see no difference between two resources.
    fileprivate func isSame(as other: Resource) -> Bool {
        digest == other.digest && isCached == other.isCached && kind == other.kind && mediaType == other.mediaType
            && matchURL == other.matchURL && activeTime == other.activeTime
    }
}

extension ResourceList {
    /// The parts of the list that differ between responses.
    package struct Wording: Sendable {
        package let timeFormat: ResourceSettings.TimeFormat
        /// A function that returns the URL of a resource's bytes, which ends with its file name.
        package let url: @Sendable (Item) -> String
        /// A function that returns the patch of a resource for a client that sends its version.
        package let patch: @Sendable (Item) -> ResourcePatch?
        /// Whether the update is mandatory for the client; `nil` if that is unknown.
        package let isMandatory: Bool?

        package init(
            timeFormat: ResourceSettings.TimeFormat, isMandatory: Bool? = nil,
            url: @escaping @Sendable (Item) -> String,
            patch: @escaping @Sendable (Item) -> ResourcePatch? = { _ in nil }
        ) {
            self.timeFormat = timeFormat
            self.patch = patch
            self.isMandatory = isMandatory
            self.url = url
        }
    }

    /// Returns the list with the article's names, plus `sha256`, `size`, `diffFrom`, `mandatory` and `updateMode`
    /// (clients.md §1.4).
    package func json(_ wording: Wording) -> JSON {
        .object([
            "version": .string(version.description),
            "activeTime": .string(wording.timeFormat.text(activeTime)),
            "cached": .bool(isCached),
            "mandatory": wording.isMandatory.map { .bool($0) },
            "updateMode": .string(updateMode.rawValue),
            "resourceList": .array(items.map { Self.json($0, wording) }),
        ])
    }

    private static func json(_ item: Item, _ wording: Wording) -> JSON {
        let resource = item.resource
        let patch = wording.patch(item)
        return .object([
            "downUrl": .string(wording.url(item)), "resourceID": .string(resource.id.text),
            "activeTime": .string(wording.timeFormat.text(item.activeTime)), "type": .integer(resource.kind),
            "MIMEType": .string(resource.mediaType), "version": .integer(item.number),
            "matchUrl": .string(resource.matchURL), "cached": .bool(resource.isCached),
            "sha256": .string(resource.digest.hex), "size": .integer(Int64(resource.size)),
            "diff": patch.map { .string($0.text) }, "diffFrom": patch.map { .string($0.base.hex) },
        ])
    }
}

/// A text patch, with the content that it applies to.
package struct ResourcePatch: Sendable, Equatable {
    package let base: SHA256Digest
    package let text: String

    package init(base: SHA256Digest, text: String) {
        self.base = base
        self.text = text
    }
}
