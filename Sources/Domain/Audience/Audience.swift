package import Ground

/// The devices that a release is for.
///
/// A device belongs if it meets every rule, is not excluded, and is on the included list or within the percentage.
package struct Audience: Sendable, Hashable {
    /// The list of devices that belong regardless of the percentage.
    package var whitelist: DeviceListName?
    /// The list of devices that never belong.
    package var excluded: DeviceListName?
    /// The rules, all of which a device must meet.
    package var rules: [AudienceRule]

    package init(whitelist: DeviceListName? = nil, excluded: DeviceListName? = nil, rules: [AudienceRule] = []) {
        self.whitelist = whitelist
        self.excluded = excluded
        self.rules = rules
    }

    package static let everyone = Audience()

    /// Whether the percentage alone determines the devices.
    package var isUnlimited: Bool { excluded == nil && rules.isEmpty }

    package var lists: [DeviceListName] { [whitelist, excluded].compactMap { $0 } }
}

/// The name of an app's device list, with the grammar of a channel name.
package struct DeviceListName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of the name in words, for messages.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    package static func < (left: DeviceListName, right: DeviceListName) -> Bool { left.text < right.text }

    package var description: String { text }
}

/// A device list without its devices.
package struct DeviceListSummary: Sendable, Equatable {
    package let name: DeviceListName
    package let count: Int
    /// The number of changes since the list was created, plus one.
    package let revision: Int64
    package let changedAt: Timestamp

    /// The limit on an app's lists.
    package static let maximumCount = 100

    package init(name: DeviceListName, count: Int, revision: Int64, changedAt: Timestamp) {
        self.name = name
        self.count = count
        self.revision = revision
        self.changedAt = changedAt
    }
}

extension PlatformError {
    /// Returns the error `listNotFound` with instructions.
    package static func noDeviceList(_ name: DeviceListName, of app: AppID) -> PlatformError {
        PlatformError(
            .listNotFound,
            "The app '\(app)' has no device list '\(name)'. Upload it first:", remedy: .uploadDeviceList(name, of: app),
            " with one device id a line.")
    }
}
