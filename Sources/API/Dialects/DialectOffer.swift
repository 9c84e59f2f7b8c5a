package import Domain
package import Platform

/// The offer of a package to a device that sends no facts, in a dialect whose clients download archives.
package struct DialectOffer {
    /// The name of the release's archive.
    package let name: ReleaseArchiveName
    package let archive: Artifact
}

extension ChannelView {
    /// Returns the offer of a package; throws `notFound` if the dialect's clients get none.
    package func requireOffer(
        of package: PackageID, in rules: some DialectRules
    ) throws(PlatformError) -> DialectOffer {
        guard let entry = entry(of: package), entry.package.isEnabled,
            entry.package.dialects.contains(rules.dialect), let current = entry.current,
            let layout = rules.layout, let archive = current.downloads.version.archives[layout]
        else { throw nothingOnOffer(of: package.text, in: rules.dialect) }
        return DialectOffer(
            name: ReleaseArchiveName(of: current.release, haltChanges: current.downloads.haltChanges), archive: archive)
    }

    /// - Parameter package: The text of the package id, fit to be shown.
    package func nothingOnOffer(of package: String, in dialect: Dialect) -> PlatformError {
        PlatformError(
            .notFound,
            "The dialect '\(dialect.rawValue)' offers no version of '\(package)' on the channel '\(channel)'. The package "
                + "must have the dialect in 'dialects', 'enable' on, and an active release.")
    }
}
