import Domain
import Ground
import HTTP
import Platform

/// A parser of the bodies of requests that make releases.
struct ReleaseRequestReader {
    let services: Services

    /// Parses a request for a release of a package.
    func draft(_ body: inout JSONReader, of package: Package) async throws(PlatformError) -> ReleaseDraft {
        guard let version = try body.version("version") else {
            throw JSONReader.wrong("version", "the version string to offer: \(VersionString.shape)")
        }
        let app = try services.live.requireApp(package.app)
        var common = try await Common(&body, of: [version], hasDownloads: true, services, app) {
            .release(ReleaseID($0), of: package.id)
        }
        if let downloads = common.downloads {
            common.terms.downloads = try await services.releaser.downloadWindow(
                downloads, for: version, of: package, before: common.activeTime)
        }
        return try common.draft(of: version, of: package.id, in: app.id, services)
    }

    /// Parses a request for a release set.
    func set(_ body: inout JSONReader, of app: LiveApp) async throws(PlatformError) -> ReleaseRequest {
        guard let versions = try body.versions("versions") else {
            throw JSONReader.wrong(
                "versions", "the versions to offer, such as {\"news\": \"1.2.0\", \"common\": \"7.0\"}")
        }
        let common = try await Common(&body, of: Array(versions.values), hasDownloads: false, services, app) {
            .set(ReleaseSetID($0))
        }
        guard common.terms.floor == nil else {
            throw PlatformError(
                .invalidRequest,
                "A release set cannot have a 'floor', which is a version of one package. Release that package by itself first."
            )
        }
        var drafts: [ReleaseDraft] = []
        for (package, version) in versions.sorted(by: { $0.key < $1.key }) {
            let draft = try common.draft(of: version, of: package, in: app.id, services)
            _ = try await services.catalogue.requirePackage(package, of: app)
            drafts.append(draft)
        }
        return try ReleaseRequest(setOf: drafts)
    }

    /// The members of both kinds of requests.
    private struct Common {
        let channel: ChannelName
        var terms: ReleaseTerms
        let downloads: DownloadBudget?
        let activeTime: Timestamp?
        let refusesDuplicate: Bool

        /// - Parameters:
        ///   - versions: The versions to offer.
        ///   - group: Returns the group that a number in `sameAudienceAs` names.
        init(
            _ body: inout JSONReader, of versions: [VersionString], hasDownloads: Bool, _ services: Services,
            _ app: LiveApp, _ group: (Int64) -> ReleaseGroup.ID
        ) async throws(PlatformError) {
            channel = try ReleaseDraft.channel(
                try body.string("channel").map { name throws(PlatformError) in try NameKind.channel.read(name) },
                for: versions, among: app.channels)
            let other = try body.integer("sameAudienceAs", in: 1...Int64.max)
            var salt = Salt.random(by: services.cryptography)
            if let other { salt = try await services.releaser.find(group(other), of: app).group.terms.salt }
            terms = try ReleaseTerms(
                &body, salt: salt, defaultHealth: try await services.healthJudge.defaults(of: app.id))
            downloads = hasDownloads ? try body.downloads() : nil
            activeTime = try body.time("activeTime")
            try ReleaseDraft.requireMoment(
                activeTime, beginsNow: try body.bool("now") ?? false, at: services.clock.now())
            refusesDuplicate = try !(body.bool("again") ?? false)
            try body.finish()
        }

        func draft(
            of version: VersionString, of package: PackageID, in app: AppID, _ services: Services
        ) throws(PlatformError) -> ReleaseDraft {
            try ReleaseDraft.requireCounting(activeTime, terms, at: services.clock.now())
            return ReleaseDraft(
                app: app, package: package, channel: channel, version: version, terms: terms, activeTime: activeTime,
                refusesDuplicate: refusesDuplicate)
        }
    }
}

extension JSONReader {
    /// Takes an object of versions by package.
    mutating func versions(_ key: String) throws(PlatformError) -> [PackageID: VersionString]? {
        guard let value = takeValue(key) else { return nil }
        guard let members = value.members, members.count <= ReleaseGroup.sizes.upperBound else {
            throw Self.wrong(
                key, "an object with the version of each package, at most \(ReleaseGroup.sizes.upperBound) packages")
        }
        var versions: [PackageID: VersionString] = [:]
        for member in members {
            guard let package = PackageID(member.key), let version = member.value.string.flatMap({ VersionString($0) })
            else { throw Self.wrong(key, "an object with the version of each package, such as {\"news\": \"1.2.0\"}") }
            versions[package] = version
        }
        return versions
    }
}
