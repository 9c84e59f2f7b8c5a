package import Domain

/// The decision for a device about one package, with the reasons.
package struct Explanation: Sendable {
    package let package: PackageID
    package let isEnabled: Bool
    package let decision: PackageDecision
    /// The checks of all releases, by falling rank.
    package let checks: [RuleCheck]

    /// Returns the explanations of every package that has releases on the channel.
    package static func all(of view: ChannelView, to facts: DeviceFacts, only: Set<PackageID>?) -> [Explanation] {
        var resolution = Resolution(view.snapshot, facts: facts, at: view.instant)
        return view.entries.filter { entry in only.map { $0.contains(entry.package.id) } ?? true }.map { entry in
            Explanation(
                package: entry.package.id, isEnabled: entry.package.isEnabled,
                decision: resolution.decision(for: entry.package.id), checks: resolution.trace(of: entry.package.id))
        }
    }
}
