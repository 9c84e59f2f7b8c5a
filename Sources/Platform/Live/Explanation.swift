package import Domain

/// What a device gets of a package on a channel, and why.
package struct Explanation: Sendable {
    package let package: PackageID
    package let isEnabled: Bool
    package let standing: Standing
    /// Each release that was looked at, by falling rank.
    package let looks: [Look]

    /// For every package that has releases on the channel.
    package static func all(of view: ChannelView, to facts: DeviceFacts, only: Set<PackageID>?) -> [Explanation] {
        var resolution = Resolution(view.snapshot, facts: facts, at: view.instant)
        return view.entries.filter { entry in only.map { $0.contains(entry.package.id) } ?? true }.map { entry in
            Explanation(
                package: entry.package.id, isEnabled: entry.package.isEnabled,
                standing: resolution.standing(of: entry.package.id), looks: resolution.trace(of: entry.package.id))
        }
    }
}
