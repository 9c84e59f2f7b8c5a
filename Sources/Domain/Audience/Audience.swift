/// Who a release is for: those on its list OR within its percentage, of them who meet every rule, and never who is excluded.
package struct Audience: Sendable, Hashable {
    /// The list of devices that are in whatever the percentage.
    package var whitelist: DeviceListName?
    /// The list of devices that are never in.
    package var excluded: DeviceListName?
    /// All of them have to be met.
    package var rules: [AudienceRule]

    package init(whitelist: DeviceListName? = nil, excluded: DeviceListName? = nil, rules: [AudienceRule] = []) {
        self.whitelist = whitelist
        self.excluded = excluded
        self.rules = rules
    }

    package static let everyone = Audience()

    /// Whether nobody is kept out whom the percentage lets in.
    package var isUnlimited: Bool { excluded == nil && rules.isEmpty }

    package var lists: [DeviceListName] { [whitelist, excluded].compactMap { $0 } }
}

/// The name of an app's list of devices, of the shape of a channel's.
package struct DeviceListName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// What the name of a list may consist of, as a message says it after a colon.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails where the text does not have the shape.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    package static func < (left: DeviceListName, right: DeviceListName) -> Bool { left.text < right.text }

    package var description: String { text }
}

/// A list of devices without them.
package struct DeviceListSummary: Sendable, Equatable {
    package let name: DeviceListName
    package let count: Int
    /// Counts up at every change.
    package let revision: Int64
    package let changedAt: Timestamp

    /// Lists of an app at most.
    package static let maximumCount = 100

    package init(name: DeviceListName, count: Int, revision: Int64, changedAt: Timestamp) {
        self.name = name
        self.count = count
        self.revision = revision
        self.changedAt = changedAt
    }
}

extension PlatformError {
    /// `listNotFound`, and what to do.
    package static func noDeviceList(_ name: DeviceListName, of app: AppID) -> PlatformError {
        PlatformError(
            .listNotFound,
            "'\(app)' has no list of devices '\(name)'. Upload it first: PUT /api/v1/apps/\(app)/device-lists/\(name) "
                + "with one device id a line.")
    }
}
