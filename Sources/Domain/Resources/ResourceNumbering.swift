/// A number of a resource on a channel, with the content that it stands for permanently (clients.md P7).
package struct ResourceNumber: Sendable, Hashable {
    package let id: ResourceID
    package let channel: ChannelName
    package let number: Int64
    package let digest: SHA256Digest
    /// Whether devices got it as part of a current version.
    package let wasCurrent: Bool

    package init(id: ResourceID, channel: ChannelName, number: Int64, digest: SHA256Digest, wasCurrent: Bool) {
        self.id = id
        self.channel = channel
        self.number = number
        self.digest = digest
        self.wasCurrent = wasCurrent
    }
}

/// The assignment of numbers to the resources of a channel: the current version's first, then the scheduled one's
/// (decision 0037).
///
/// A resource gets the first of these numbers that stands for its content: the last current one of the channel, the
/// highest of the channel, the highest of the package. Otherwise it gets the number above the highest of the package.
/// So the numbers of a channel grow with every change, and a number stands for the same content on every channel.
///
/// Earlier versions of Larder counted by channel, so two channels may use one number for two contents. `production`
/// keeps such a number, and other channels replace it.
package struct ResourceNumbering: Sendable {
    private let channel: ChannelName
    private var known: [ResourceID: Known] = [:]
    /// The numbers that are new on the channel, or current for the first time.
    package private(set) var changed: [ResourceNumber] = []

    private struct Assigned {
        let number: Int64
        /// The content; `nil` if the number must not be reused.
        let digest: SHA256Digest?
    }

    private struct Known {
        /// The last number that was current on the channel.
        var lastCurrent: Assigned?
        /// The highest number of the channel.
        var own: Assigned?
        /// The highest number of the package.
        var highest: Assigned?

        mutating func note(_ assigned: Assigned, isOwn: Bool, wasCurrent: Bool) {
            if assigned.number >= highest?.number ?? 0 { highest = assigned }
            guard isOwn else { return }
            if assigned.number >= own?.number ?? 0 { own = assigned }
            if wasCurrent, assigned.number >= lastCurrent?.number ?? 0 { lastCurrent = assigned }
        }
    }

    /// - Parameter known: All numbers of these resources on any channel of the package, in any order.
    package init(known: [ResourceNumber], on channel: ChannelName) {
        self.channel = channel
        let ambiguous = Ambiguity(known)
        for number in known {
            let isOwn = number.channel == channel
            let isUsable = ambiguous.allows(number, on: channel)
            let assigned = Assigned(number: number.number, digest: isUsable ? number.digest : nil)
            self.known[number.id, default: Known()].note(assigned, isOwn: isOwn, wasCurrent: number.wasCurrent)
        }
    }

    /// Returns the last numbers under which these contents were current on a channel; omits contents that never were.
    ///
    /// - Parameter known: See ``init(known:on:)``.
    package static func current(
        _ digests: [ResourceID: SHA256Digest], known: [ResourceNumber], on channel: ChannelName
    ) -> [ResourceID: Int64] {
        let ambiguous = Ambiguity(known)
        let lastCurrent = known.filter {
            $0.wasCurrent && $0.channel == channel && digests[$0.id] == $0.digest && ambiguous.allows($0, on: channel)
        }
        return Dictionary(lastCurrent.map { ($0.id, $0.number) }) { max($0, $1) }
    }

    /// Assigns the numbers of the current version's resources.
    package mutating func assignCurrent(_ digests: [ResourceID: SHA256Digest]) -> [ResourceID: Int64] {
        assign(digests, asCurrent: true)
    }

    /// Assigns the numbers of the scheduled version's resources; call it after ``assignCurrent(_:)``.
    package mutating func assignComing(_ digests: [ResourceID: SHA256Digest]) -> [ResourceID: Int64] {
        assign(digests, asCurrent: false)
    }

    private mutating func assign(_ digests: [ResourceID: SHA256Digest], asCurrent: Bool) -> [ResourceID: Int64] {
        var numbers: [ResourceID: Int64] = [:]
        for (id, digest) in digests.sorted(by: { $0.key < $1.key }) {
            numbers[id] = number(of: id, digest, asCurrent: asCurrent)
        }
        return numbers
    }

    private mutating func number(of id: ResourceID, _ digest: SHA256Digest, asCurrent: Bool) -> Int64 {
        let known = known[id] ?? Known()
        if let lastCurrent = known.lastCurrent, lastCurrent.digest == digest { return lastCurrent.number }
        var number = (known.highest?.number ?? 0) + 1
        if let own = known.own, own.digest == digest {
            guard asCurrent else { return own.number }
            number = own.number
        } else if let highest = known.highest, highest.digest == digest {
            number = highest.number
        }
        self.known[id, default: Known()].note(
            Assigned(number: number, digest: digest), isOwn: true, wasCurrent: asCurrent)
        changed.append(ResourceNumber(id: id, channel: channel, number: number, digest: digest, wasCurrent: asCurrent))
        return number
    }
}

/// The numbers that stand for different contents on different channels.
private struct Ambiguity {
    private struct Name: Hashable {
        let id: ResourceID
        let number: Int64
    }

    private var names: Set<Name> = []

    init(_ numbers: [ResourceNumber]) {
        var digests: [Name: SHA256Digest] = [:]
        for number in numbers {
            let name = Name(id: number.id, number: number.number)
            let other = digests.updateValue(number.digest, forKey: name)
            if let other, other != number.digest { names.insert(name) }
        }
    }

    /// Returns whether a channel may continue to use a number for its content.
    func allows(_ number: ResourceNumber, on channel: ChannelName) -> Bool {
        guard names.contains(Name(id: number.id, number: number.number)) else { return true }
        return number.channel == channel && channel == .production
    }
}
