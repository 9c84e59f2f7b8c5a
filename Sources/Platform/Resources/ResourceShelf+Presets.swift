import Domain

extension ResourceShelf {
    /// Returns the list for a build that ships a version: the channel's current one, or the last one with the version.
    ///
    /// Throws `conflict` if the version was never current on the channel, so that its resources have no numbers.
    func list(
        shipping name: VersionString, of package: Package, on channel: ChannelName, in app: LiveApp
    ) async throws(PlatformError) -> (list: ResourceList, timeFormat: ResourceSettings.TimeFormat) {
        if let offer = app.resources(of: channel).byPackage[package.id], offer.basis.isCurrent,
            offer.sources.first?.version == name, case .success(let list) = offer.list
        {
            return (list.current, offer.timeFormat)
        }
        guard case .success(let source) = try await source(of: name, of: package, reusing: []) else {
            throw PlatformError.noVersion(name, of: package.id)
        }
        let numbers = try await store.currentNumbers(of: source.digests, of: package.id, on: channel, in: app.id)
        let releases = try await store.releases(of: package.id, in: app.id)
        let release = releases.last { $0.version == name && $0.channel == channel }
        let sequence = try await history(of: package.id, in: app.id).sequence(of: name, on: channel)
        guard let release, let sequence, numbers.count == source.resources.count else {
            throw PlatformError(
                .conflict,
                "No list on '\(channel)' has contained \(name) of '\(package.id)' with its present settings, so its resources "
                    + "have no numbers. Release it there first.")
        }
        let part = ResourceList.Part(
            resources: source.resources, numbers: numbers, activeTime: release.activeTime)
        let version = ResourceConfigVersion(sequence: sequence, version: name)
        let list = ResourceList(
            version: version, isCached: package.isUsedOffline, updateMode: release.terms.updateMode, current: part,
            coming: nil)
        return (list, package.resources.timeFormat)
    }
}
