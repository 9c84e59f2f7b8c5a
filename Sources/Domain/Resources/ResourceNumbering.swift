/// A number that a resource has, and what content it stands for, for ever (clients.md P7).
package struct ResourceNumber: Sendable, Hashable {
    package let id: ResourceID
    package let number: Int64
    package let digest: SHA256Digest
    /// Whether devices were told it as part of a current version.
    package let isTold: Bool

    package init(id: ResourceID, number: Int64, digest: SHA256Digest, isTold: Bool) {
        self.id = id
        self.number = number
        self.digest = digest
        self.isTold = isTold
    }
}

/// Gives resources their numbers, in the order in which devices get them: the current version's, then the coming one's.
///
/// A resource has the number of the one before it in that order where their contents are the same; before the current
/// one comes what was told as current last. Where they differ, it has the highest number of all if that stands for its
/// content, else one above that. So contents that come back, a hotfix below a scheduled release and the end of a release
/// all have growing numbers.
package struct ResourceNumbering: Sendable {
    private var known: [ResourceID: Known] = [:]
    /// What is new, or told as current for the first time.
    package private(set) var changed: [ResourceNumber] = []

    private struct Known {
        /// Of those told as current the last one.
        var told: ResourceNumber?
        var highest: ResourceNumber?

        mutating func note(_ number: ResourceNumber) {
            if number.isTold, number.number >= told?.number ?? 0 { told = number }
            if number.number >= highest?.number ?? 0 { highest = number }
        }
    }

    /// - Parameter known: Every number of the resources in question, in any order.
    package init(known: [ResourceNumber]) {
        for number in known { self.known[number.id, default: Known()].note(number) }
    }

    /// The numbers of the resources of the current version.
    package mutating func assignCurrent(_ digests: [ResourceID: SHA256Digest]) -> [ResourceID: Int64] {
        assign(digests, asTold: true)
    }

    /// The numbers of the resources of the version that comes next; asked for after those of the current one.
    package mutating func assignComing(_ digests: [ResourceID: SHA256Digest]) -> [ResourceID: Int64] {
        assign(digests, asTold: false)
    }

    private mutating func assign(_ digests: [ResourceID: SHA256Digest], asTold: Bool) -> [ResourceID: Int64] {
        var numbers: [ResourceID: Int64] = [:]
        for (id, digest) in digests.sorted(by: { $0.key < $1.key }) {
            numbers[id] = number(of: id, digest, asTold: asTold)
        }
        return numbers
    }

    private mutating func number(of id: ResourceID, _ digest: SHA256Digest, asTold: Bool) -> Int64 {
        let known = known[id] ?? Known()
        if let told = known.told, told.digest == digest { return told.number }
        var number = ResourceNumber(id: id, number: (known.highest?.number ?? 0) + 1, digest: digest, isTold: asTold)
        if let highest = known.highest, highest.digest == digest {
            guard asTold else { return highest.number }
            number = ResourceNumber(id: id, number: highest.number, digest: digest, isTold: true)
        }
        self.known[id, default: Known()].note(number)
        changed.append(number)
        return number.number
    }
}
