import Domain
import Ground
import Platform

/// What a device that tells nothing about itself gets of a package, in a dialect whose clients download archives.
struct DialectOffer {
    /// The release, as the archive's name tells it.
    let name: ReleaseArchiveName
    let archive: Artifact
}

extension ChannelView {
    /// Throws `notFound` where the clients of a dialect are told nothing of a package.
    func requireOffer(
        of package: String, in dialect: Dialect
    ) throws(PlatformError) -> DialectOffer {
        guard let entry = PackageID(package).flatMap({ entry(of: $0) }), entry.package.isEnabled,
            entry.package.dialects.contains(dialect), let current = entry.current,
            let layout = dialect.rules.layout, let archive = current.version.archives[layout]
        else { throw nothingOnOffer(of: package, in: dialect) }
        return DialectOffer(name: ReleaseArchiveName(of: current.release, turn: current.turn), archive: archive)
    }

    func nothingOnOffer(of package: String, in dialect: Dialect) -> PlatformError {
        PlatformError(
            .notFound,
            "There is nothing of '\(ShownText.of(package.utf8))' in the dialect '\(dialect.rawValue)' on the channel "
                + "'\(channel)': the package has to have it among its 'dialects' and 'enable' on, and a release that is "
                + "active.")
    }
}
