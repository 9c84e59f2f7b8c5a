package import Ground

/// The objects that a change was requested for, as they were then.
///
/// An approval makes the change only if they are the same, so that it has the effect that the second person has read.
package struct ApprovalBasis: Sendable, Equatable {
    /// The revision of each release that the change is about.
    package let revisions: [ReleaseID: Int64]
    /// The members of a new release; of an existing one the audience rules that a step of its plan may drop.
    package let terms: [JSON.Member]

    /// The members that differ between two evaluations of one request, because they count from the current time.
    private static let moments = ["activeTime", "downloads"]

    /// Creates the basis of a change of a group.
    package init(changing group: ReleaseGroup, at instant: Timestamp) {
        revisions = Dictionary(group.members.map { ($0.id, $0.revision) }) { first, _ in first }
        // A step that drops the rules changes no revision.
        let rules = group.terms.rollout.dropsRules ? group.audience(at: instant).rules : []
        terms = rules.isEmpty ? [] : [.init(ReleaseTerms.Name.rules, .array(rules.map(\.json)))]
    }

    /// Creates the basis of a new group.
    ///
    /// - Parameters:
    ///   - group: The group without its ids.
    ///   - others: The releases of its packages on its channel.
    package init(making group: ReleaseGroup, among others: ChannelReleases, at instant: Timestamp) {
        let open = group.packages.flatMap { others[$0] }.filter { !$0.hasEnded }
        revisions = Dictionary(open.map { ($0.id, $0.revision) }) { first, _ in first }
        let members = group.auditMembers(at: instant).filter { !Self.moments.contains($0.key) }
        // A stored object has its members in another order.
        terms = JSON(parsing: JSON.object(members).bytes())?.members ?? []
    }

    package var json: JSON {
        .object([
            "revisions": .object(
                revisions.sorted { $0.key < $1.key }.map { JSON.Member(String($0.key.value), .integer($0.value)) }),
            "terms": .object(terms),
        ])
    }

    package init?(_ json: JSON) {
        guard let stored = json["revisions"]?.members, let terms = json["terms"]?.members else { return nil }
        var revisions: [ReleaseID: Int64] = [:]
        for member in stored {
            guard let id = Int64(member.key), let revision = member.value.integer else { return nil }
            revisions[ReleaseID(id)] = revision
        }
        self.revisions = revisions
        self.terms = terms
    }

    /// Returns what has changed since, each as the beginning of a sentence; empty if the change is still the same.
    package func differences(to current: ApprovalBasis) -> [String] {
        let ids = Set(revisions.keys).union(current.revisions.keys).sorted()
        let releases = ids.compactMap { id -> String? in
            switch (revisions[id], current.revisions[id]) {
            case (let old?, let new?): old == new ? nil : "release \(id) has the revision \(new) instead of \(old)"
            case (nil, _?): "release \(id) was made"
            case (_?, nil): "release \(id) has ended"
            case (nil, nil): nil
            }
        }
        let names = Set((terms + current.terms).map(\.key)).sorted()
        let changed = names.filter { name in
            terms.first { $0.key == name }?.value != current.terms.first { $0.key == name }?.value
        }
        return releases + changed.map { "'\($0)' of the release differs from when the change was requested" }
    }
}
