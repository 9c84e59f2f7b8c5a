import Ground

/// The versions whose files a resource list names (semantics.md §12).
package struct ListedVersions: Sendable, Hashable {
    /// The version whose name ends the list's `version`.
    package let current: VersionString
    /// The version that devices download ahead.
    package let coming: VersionString?
    /// The rules that gave the files of both versions their ids; `nil` if they are unknown.
    package let naming: NamingMark?

    package init(current: VersionString, coming: VersionString?, naming: NamingMark?) {
        self.current = current
        self.coming = coming
        self.naming = naming
    }

    /// Returns the contents from which a client with the list may get patches.
    ///
    /// These are the contents of the current version, except resources that the list names with a second content: the
    /// client's clock decides which of the two it patches, and a patch applied to the wrong one can succeed.
    package static func patchable(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest]
    ) -> [ResourceID: SHA256Digest] {
        current.filter { id, digest in coming[id].map { $0 == digest } ?? true }
    }
}

/// A hash of the rules that give files their ids.
///
/// Equal marks mean that every file has the same id.
package struct NamingMark: Sendable, Hashable {
    /// 32 lower-case hex digits.
    package let text: String

    /// - Parameter settings: The settings of the current version, then those of the scheduled one.
    package init(of settings: [ResourceSettings]) {
        let rules: [JSON] = settings.map { settings in
            .array(settings.rules.map { .array([.string($0.files.description), .string($0.resourceID?.text ?? "")]) })
        }
        text = FNV1a.hex(JSON.array(rules).bytes())
    }

    /// Parses a stored mark.
    package init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(ASCII.isHexDigit) else { return nil }
        self.text = text
    }
}

/// The lists of a package that seed 004's clients got, by channel and in the order of their sequences.
///
/// A list is valid from its sequence up to the next one of its channel.
package struct ListHistory: Sendable {
    /// The number of stored entries of one channel.
    ///
    /// Clients with older lists get no patches.
    package static let maximumEntries = 4096

    package struct Entry: Sendable, Hashable {
        package let channel: ChannelName
        /// The package's latest event when the list was first sent.
        package let sequence: Int64
        package let versions: ListedVersions

        package init(channel: ChannelName, sequence: Int64, versions: ListedVersions) {
            self.channel = channel
            self.sequence = sequence
            self.versions = versions
        }
    }

    private var channels: [ChannelName: [Entry]] = [:]
    /// The channels whose oldest entries are not stored.
    private var truncated: Set<ChannelName>

    /// - Parameters:
    ///   - entries: The entries in the order of recording.
    ///   - truncated: The channels whose older entries are omitted.
    package init(_ entries: [Entry], truncated: Set<ChannelName> = []) {
        self.truncated = truncated
        for entry in entries { record(entry) }
    }

    /// Adds the newest list of a channel.
    package mutating func record(_ entry: Entry) {
        // Removes a quarter of the entries at once, so that they are rarely moved.
        if let count = channels[entry.channel]?.count, count >= Self.maximumEntries {
            channels[entry.channel]?.removeFirst(Self.maximumEntries / 4)
            truncated.insert(entry.channel)
        }
        channels[entry.channel, default: []].append(entry)
    }

    /// Returns whether a channel's list differs from the last recorded one.
    package func isNew(_ versions: ListedVersions, on channel: ChannelName) -> Bool {
        guard let entries = channels[channel], let last = entries.last else { return true }
        return entries.reversed().prefix { $0.sequence == last.sequence }.contains { $0.versions != versions }
    }

    /// Returns the versions that the list with this `version` named, for each channel that sent one; empty if unknown.
    ///
    /// A release of another package may change a list without an event of its own package. The lists before and after
    /// it then share one sequence, and only the later one has an entry: both are returned.
    package func versions(of list: ResourceConfigVersion) -> Set<ListedVersions> {
        var found: Set<ListedVersions> = []
        for (channel, all) in channels {
            let entries = all[..<all.partition(above: list.sequence)]
            guard let last = entries.last else {
                // The channel may have sent a list that is no longer kept.
                if truncated.contains(channel) { return [] }
                continue
            }
            var candidates = entries.suffix(of: last.sequence)
            if last.sequence == list.sequence {
                let earlier = entries[..<candidates.startIndex]
                if let before = earlier.last {
                    candidates = earlier.suffix(of: before.sequence) + candidates
                } else if truncated.contains(channel) {
                    return []
                }
            }
            found.formUnion(candidates.map(\.versions).filter { $0.current == list.version })
        }
        return found
    }

    /// Returns a sequence at which a version was current on a channel: the latest without a scheduled version, else the
    /// latest.
    package func sequence(of version: VersionString, on channel: ChannelName) -> Int64? {
        let entries = (channels[channel] ?? []).filter { $0.versions.current == version }
        return (entries.last { $0.versions.coming == nil } ?? entries.last)?.sequence
    }
}

extension ArraySlice<ListHistory.Entry> {
    /// Returns the last entries that have this sequence.
    fileprivate func suffix(of sequence: Int64) -> ArraySlice {
        suffix(from: lastIndex { $0.sequence != sequence }.map { $0 + 1 } ?? startIndex)
    }
}

extension [ListHistory.Entry] {
    /// Returns the index of the first entry with a higher sequence.
    fileprivate func partition(above sequence: Int64) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
