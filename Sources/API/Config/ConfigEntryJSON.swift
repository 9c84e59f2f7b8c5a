import Domain
import Ground
import Platform

/// An entry of `/config`: the members that seed 000's client reads, and further ones that it ignores (semantics.md §4).
struct ConfigEntryJSON {
    let view: ChannelView
    /// Whether the device sends the versions that it has; then the entry says whether an update is mandatory.
    let reportsVersions: Bool
    /// The base of the URLs of archives and patches.
    let blobURL: PublicURL
    /// The base of the URLs of unpacked copies.
    let contentURL: PublicURL
    let patches: PatchSelection
    /// The legacy key that made the `signature` member.
    let legacyKey: KeyID?

    /// Returns the value of the package's key.
    func value(of entry: ChannelView.Entry) -> JSON {
        var members: [JSON.Member]
        if let current = entry.current {
            members = offer(current, of: entry.package, patches.patches(in: current, of: entry.package.id))
        } else {
            // No version is active: seed 000's client skips packages that are not enabled (clients.md K3).
            members = [
                .init("appId", .string(entry.package.id.text)), .init("name", .string(entry.package.name)),
                .init("enable", false), .init("priority", .integer(entry.package.priority)),
            ]
        }
        if let time = entry.package.onlineUntil { members.append(.init("onlineUntil", .string(time.rfc3339))) }
        if let next = entry.next {
            let activeTime = JSON.Member("activeTime", .string(next.release.activeTime.rfc3339))
            let own = patches.patches(
                in: next, of: entry.package.id, soon: entry.current?.release.version)
            members.append(.init("next", .object(offer(next, of: entry.package, own) + [activeTime])))
        }
        return .object(members)
    }

    private func offer(
        _ offer: ChannelView.Offer, of package: Package, _ patches: [SignedArtifact]
    ) -> [JSON.Member] {
        let full = offer.downloads.version.full
        var members = seedMembers(of: full, package: package, incremental: incrementalPackages(patches, of: package))
        members += [
            .init("sha256", .string(full.artifact.blob.hex)), .init("size", .integer(Int64(full.artifact.size))),
            .init("layout", .string(full.artifact.layout.rawValue)), .init("tree", .string(full.artifact.tree.hex)),
            .init("signatures", full.ed25519JSON), .init("rank", .integer(offer.release.rank.value)),
        ]
        if let isMandatory = mandatory(offer) { members.append(.init("mandatory", .bool(isMandatory))) }
        if let rank = offer.decision.mandatoryAfter { members.append(.init("mandatoryAfter", .integer(rank.value))) }
        members.append(.init("updateMode", .string(offer.release.terms.updateMode.rawValue)))
        if let time = offer.decision.downloadAfter { members.append(.init("downloadAfter", .string(time.rfc3339))) }
        members += limits(of: offer.release)
        if let entry = offer.downloads.version.entry { members.append(.init("entry", .string(entry.text))) }
        members.append(.init("urlPrefix", .string(offer.downloads.version.urlPrefix.text)))
        if let permissions = permissions(offer, of: package) { members.append(.init("permissions", permissions)) }
        if let url = fallbackURL(offer, of: package) { members.append(.init("fallbackUrl", .string(url))) }
        if !patches.isEmpty { members.append(.init("patches", .array(patches.map(patch)))) }
        return members
    }

    /// Returns whether the update is mandatory; `nil` if the device does not send the versions that it has.
    private func mandatory(_ offer: ChannelView.Offer) -> Bool? {
        reportsVersions ? offer.decision.isMandatory ?? false : nil
    }

    /// Returns the conditions that a container can check itself before it takes the version.
    private func limits(of release: Release) -> [JSON.Member] {
        var members: [JSON.Member] = []
        let requirements = release.requirements
        if let version = requirements.minAppVersion { members.append(.init("minAppVersion", .string(version))) }
        if let version = requirements.maxAppVersion { members.append(.init("maxAppVersion", .string(version))) }
        if release.terms.isWifiOnly { members.append(.init("wifiOnly", true)) }
        if !requirements.dependencies.isEmpty {
            let needed = requirements.dependencies.map { JSON.Member($0.package.text, .string($0.range.text)) }
            members.append(.init("dependencies", .object(needed)))
        }
        return members
    }

    /// Returns the permissions of the pages, which a container can check offline (semantics.md §6).
    private func permissions(_ offer: ChannelView.Offer, of package: Package) -> JSON? {
        guard let (permissions, signatures) = view.permissions(in: offer, of: package),
            let members = permissions.json.members
        else { return nil }
        return .object(members + [.init("signatures", signatures.json)])
    }

    /// Returns the URL of the version's unpacked entry page, for a device that does not have the package yet.
    private func fallbackURL(_ offer: ChannelView.Offer, of package: Package) -> String? {
        // A version named `current` has no URL of its own.
        guard offer.downloads.version.version.text != OnlineEndpoint.current else { return nil }
        let base = ClientBase(app: view.app, channel: view.channel)
        return offer.downloads.version.entry.map {
            contentURL.url(of: $0, in: offer.downloads.version.version, of: package.id, base: base)
        }
    }

    /// Returns the keys that seed 000's client reads (clients.md K1–K14).
    private func seedMembers(of signed: SignedArtifact, package: Package, incremental: JSON) -> [JSON.Member] {
        var members: [JSON.Member] = [
            .init("appId", .string(package.id.text)), .init("name", .string(package.name)),
            .init("version", .string(signed.artifact.version.text)), .init("enable", .bool(package.isEnabled)),
            .init("priority", .integer(package.priority)), .init("url", .string(blobURL.url(of: signed.artifact))),
        ]
        if let legacy = signed.signatures.first(where: { $0.keyID == legacyKey }) {
            members.append(.init("signature", .string(Base64.encode(legacy.value))))
        }
        members.append(.init("incrementalPackages", incremental))
        return members
    }

    private func incrementalPackages(_ patches: [SignedArtifact], of package: Package) -> JSON {
        .object(
            patches.compactMap { patch in
                guard case .files(let base, _) = patch.artifact.form else { return nil }
                let members = seedMembers(of: patch, package: package, incremental: .object([JSON.Member]()))
                return JSON.Member(base.text, .object(members))
            })
    }

    private func patch(_ signed: SignedArtifact) -> JSON {
        let artifact = signed.artifact
        return .object([
            "kind": .string(artifact.kind.rawValue),
            "from": artifact.base.map { .string($0.text) },
            "layout": .string(artifact.layout.rawValue),
            "baseTree": artifact.baseTree.map { .string($0.hex) },
            "tree": .string(artifact.tree.hex),
            "url": .string(blobURL.url(of: artifact)),
            "size": .integer(Int64(artifact.size)),
            "sha256": .string(artifact.blob.hex),
            "requires": artifact.requires.isEmpty ? nil : .array(artifact.requires.map { .string($0) }),
            "signatures": signed.ed25519JSON,
        ])
    }
}
