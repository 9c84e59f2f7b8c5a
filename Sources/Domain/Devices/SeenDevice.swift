package import Ground

/// The stored facts of a device that sent its id: enough to evaluate a release for it.
///
/// The id itself is not stored.
package struct SeenDevice: Sendable, Equatable {
    package let key: DeviceKey
    /// The facts that the device sent, as a JSON object of texts.
    package let facts: String
    /// The versions that the device has, in the format of ``Holdings``; `nil` if it did not send them.
    package let have: String?
    /// Whether the device sent more than is stored.
    package let isCut: Bool
    package let seenAt: Timestamp

    /// The limits on the stored bytes of a device.
    package static let maximumFactBytes = 1_024
    package static let maximumHaveBytes = 2_048

    package init(key: DeviceKey, facts: String, have: String?, isCut: Bool, seenAt: Timestamp) {
        self.key = key
        self.facts = facts
        self.have = have
        self.isCut = isCut
        self.seenAt = seenAt
    }

    /// Fails for a device that did not send its id.
    ///
    /// Equal facts and holdings give equal texts, regardless of their order.
    package init?(_ said: DeviceFacts, at instant: Timestamp) {
        guard let key = said.identity?.key else { return nil }
        let (facts, hasAllFacts) = Self.facts(of: said)
        let (have, hasAll) = said.holdings.map(Self.have) ?? (nil, true)
        self.init(key: key, facts: facts, have: have, isCut: !hasAllFacts || !hasAll, seenAt: instant)
    }

    /// Parses ``facts``; the result has no identity and no holdings.
    package static func read(_ facts: String) -> DeviceFacts {
        var read = DeviceFacts()
        for member in JSON(parsing: Array(facts.utf8))?.members ?? [] {
            guard let fact = Fact(member.key), let value = member.value.string else { continue }
            read[fact] = value
        }
        return read
    }

    private static func facts(of said: DeviceFacts) -> (text: String, isWhole: Bool) {
        let attributes = said.values.keys.filter(\.isAttribute).sorted { $0.description < $1.description }
        var members: [JSON.Member] = []
        var size = 2
        var isWhole = true
        for fact in Fact.builtIn + attributes {
            guard let value = said[fact] else { continue }
            let member = JSON.Member(fact.description, .string(value))
            // The braces of the member's object are counted as the comma between members.
            let length = JSON.object([member]).bytes().count - (members.isEmpty ? 2 : 1)
            guard size + length <= maximumFactBytes else {
                isWhole = false
                continue
            }
            size += length
            members.append(member)
        }
        return (JSON.object(members).text, isWhole)
    }

    private static func have(of holdings: Holdings) -> (text: String?, isWhole: Bool) {
        var text = ""
        for (package, versions) in holdings.versions.sorted(by: { $0.key < $1.key }) {
            for version in versions {
                let item = "\(text.isEmpty ? "" : ",")\(package)@\(version)"
                guard text.utf8.count + item.utf8.count <= maximumHaveBytes else { return (text, false) }
                text += item
            }
        }
        return (text, true)
    }
}

/// The app and channel on which a device was seen; a device may be seen on several.
package struct SeenChannel: Hashable, Sendable {
    package let app: AppID
    package let channel: ChannelName

    package init(app: AppID, channel: ChannelName) {
        self.app = app
        self.channel = channel
    }

    /// Returns a hash of the app, the channel and the device; it differs between processes.
    package func mark(of key: DeviceKey) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(self)
        hasher.combine(key)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension Holdings {
    /// A hash of the versions that a device has, independent of the order of packages; it differs between processes.
    package var digest: UInt32 {
        var sum = 1
        for (package, versions) in versions {
            var hasher = Hasher()
            hasher.combine(package)
            hasher.combine(versions)
            sum &+= hasher.finalize()
        }
        return UInt32(truncatingIfNeeded: sum ^ sum >> 32)
    }
}
