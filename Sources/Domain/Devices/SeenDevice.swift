/// What is kept of a device that asked with its id: enough to tell whether a release is for it, and what it has.
///
/// The id itself is not kept.
package struct SeenDevice: Sendable, Equatable {
    package let key: DeviceKey
    /// The facts it said, as a JSON object of texts.
    package let facts: String
    /// What it said it has, as ``Holdings`` reads it; `nil` where it did not say.
    package let have: String?
    /// Whether it said more than is kept.
    package let isCut: Bool
    package let seenAt: Timestamp

    /// Bytes of what is kept of a device, at most.
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
    /// The same facts and holdings give the same texts, in whatever order they came.
    package init?(_ said: DeviceFacts, at instant: Timestamp) {
        guard let key = said.identity?.key else { return nil }
        let (facts, hasAllFacts) = Self.facts(of: said)
        let (have, hasAll) = said.holdings.map(Self.have) ?? (nil, true)
        self.init(key: key, facts: facts, have: have, isCut: !hasAllFacts || !hasAll, seenAt: instant)
    }

    /// Reads what ``facts`` holds, without the identity and the holdings.
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
            // The braces of the object become the comma.
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

/// Where a device was seen; one that asks on two channels is seen on both.
package struct SeenPlace: Hashable, Sendable {
    package let app: AppID
    package let channel: ChannelName

    package init(app: AppID, channel: ChannelName) {
        self.app = app
        self.channel = channel
    }

    /// Tells a device here from all others; drawn anew by every process.
    package func mark(of key: DeviceKey) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(self)
        hasher.combine(key)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension Holdings {
    /// Tells what a device has from other things it may have, whatever the order of packages; drawn anew by every process.
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
