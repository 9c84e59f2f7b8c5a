package import Ground

/// What clients of seed 004 are told of a package on a channel: which resources there are, and from when on.
package struct ResourceList: Sendable, Equatable {
    package let version: ResourceConfigVersion
    package let isCached: Bool
    /// When the current version is taken into use.
    package let updateMode: UpdateMode
    /// The current version's from when on.
    package let activeTime: Timestamp
    /// What the coming version has besides the current one or in other words, then the current version's resources, each by
    /// path.
    ///
    /// Clients take the first that matches a URL and is active, so they switch at the coming version's moment.
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
        /// Whether it belongs to the coming version alone.
        package let isComing: Bool

        package var id: ID { ID(resource: resource.id, number: number, isComing: isComing) }
    }

    /// A version as the list tells of it.
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

    /// The union of both, so that nothing goes before its time: what is not listed is deleted (clients.md P9).
    ///
    /// What the coming version drops stays; what both have is told once.
    package init(
        version: ResourceConfigVersion, isCached: Bool, updateMode: UpdateMode = .silent, current: Part, coming: Part?
    ) {
        self.version = version
        self.isCached = isCached
        self.updateMode = updateMode
        activeTime = current.activeTime
        let now = Self.items(current, areComing: false)
        let told = Dictionary(uniqueKeysWithValues: now.map { ($0.resource.id, $0) })
        let later = coming.map { Self.items($0, areComing: true) } ?? []
        items =
            later.filter { item in
                guard let same = told[item.resource.id] else { return true }
                return !(same.number == item.number && same.resource.isSame(as: item.resource))
            } + now
    }

    /// What the current version alone has: what a build of the app ships.
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
    /// Whether clients see no difference.
    fileprivate func isSame(as other: Resource) -> Bool {
        digest == other.digest && isCached == other.isCached && kind == other.kind && mediaType == other.mediaType
            && matchURL == other.matchURL && activeTime == other.activeTime
    }
}

extension ResourceList {
    /// What differs from answer to answer.
    package struct Wording: Sendable {
        package let timeFormat: ResourceSettings.TimeFormat
        /// Where the bytes of a resource are; its file's name ends the URL.
        package let url: @Sendable (Item) -> String
        /// The patch of a resource, for a client that has said what it has.
        package let patch: @Sendable (Item) -> ResourcePatch?
        /// Whether the client has to update before it opens the package; `nil` where that is not known.
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

    /// The article's names, and `sha256`, `size`, `diffFrom`, `mandatory` and `updateMode` besides (clients.md §1.4).
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

/// A text patch, and what it applies to.
package struct ResourcePatch: Sendable, Equatable {
    package let base: SHA256Digest
    package let text: String

    package init(base: SHA256Digest, text: String) {
        self.base = base
        self.text = text
    }
}
