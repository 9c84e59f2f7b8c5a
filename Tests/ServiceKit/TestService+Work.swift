import API
package import Domain
import Execution
package import Ground
package import Platform
package import TestKit
import Testing

/// The operators' actions without HTTP.
extension TestService {
    package var app: LiveApp {
        get throws { try live.requireApp(.default) }
    }

    /// Returns the view of a channel of the app `default`.
    package func view(_ channel: ChannelName = .production) throws -> ChannelView {
        try #require(try app.view(of: channel))
    }

    /// Returns the entry of a package in `production`.
    package func entry(_ package: String = "news") throws -> ChannelView.Entry? {
        try view().entries.first { $0.package.id.text == package }
    }

    @discardableResult
    package func putPackage(
        _ id: String = "news", _ settings: Catalogue.PackageSettings = Catalogue.PackageSettings()
    ) async throws -> Package {
        try await catalogue.putPackage(
            try #require(PackageID(id)), settings, of: app, by: .server
        ).package
    }

    /// Publishes files, and creates the package if it is missing.
    @discardableResult
    package func publish(
        _ version: String, of id: String = "news", _ files: KeyValuePairs<String, String>,
        unwrapping: UploadArrangement.Unwrapping = .automatic, ifExists: Publisher.IfExists = .compare,
        isDryRun: Bool = false
    ) async throws -> Publisher.Outcome {
        try await publish(
            version, of: id, zip: StoredZip(files).bytes, unwrapping: unwrapping, ifExists: ifExists,
            isDryRun: isDryRun)
    }

    @discardableResult
    package func publish(
        _ version: String, of id: String = "news", zip: [UInt8],
        unwrapping: UploadArrangement.Unwrapping = .automatic, ifExists: Publisher.IfExists = .compare,
        isDryRun: Bool = false
    ) async throws -> Publisher.Outcome {
        let request = Publisher.Request(
            package: try await putPackage(id), version: try #require(VersionString(version)), unwrapping: unwrapping,
            ifExists: ifExists, isDryRun: isDryRun)
        var pieces = stride(from: 0, to: zip.count, by: 1000).map { Array(zip[$0..<min($0 + 1000, zip.count)]) }[...]
        return try await publisher.publish(request, by: .server) {
            () throws(PlatformError) in pieces.popFirst()
        }
    }

    /// Publishes a version of files that all versions share, and of one of its own.
    @discardableResult
    package func publishSample(_ version: String, of id: String = "news") async throws -> Publisher.Outcome {
        try await publish(
            version, of: id, zip: StoredZip(Self.sample(version)).bytes)
    }

    /// Returns a page, a large file that does not change, and one that does.
    package static func sample(_ version: String) -> [(path: String, content: [UInt8])] {
        var random = SystemRandomNumberGenerator.Fixed(seed: 7)
        let library = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        return [
            ("index.html", Array("<html>\(version)</html>".utf8)), ("lib.bin", library),
            ("js/app.js", Array("console.log('\(version)')".utf8)),
        ]
    }

    @discardableResult
    package func release(
        _ version: String, of id: String = "news", on channel: ChannelName = .production,
        at activeTime: Timestamp? = nil, isMandatory: Bool = false, to audience: Audience = .everyone,
        rollout: Rollout = .toEveryone
    ) async throws -> Releaser.Outcome {
        let terms = ReleaseTerms(
            audience: audience, rollout: rollout, salt: .random(by: cryptography), isMandatory: isMandatory)
        let draft = ReleaseDraft(
            app: .default, package: try #require(PackageID(id)), channel: channel,
            version: try #require(VersionString(version)), terms: terms, activeTime: activeTime)
        return try await releaser.release(ReleaseRequest(draft), by: .server)
    }

    /// Performs an action on a release.
    @discardableResult
    package func apply(
        _ action: ReleaseAction, to id: ReleaseID, of package: String = "news"
    ) async throws -> Releaser.Status {
        try await releaser.apply(
            action, to: .release(id, of: try #require(PackageID(package))), of: app, ifMatch: nil, by: .server)
    }

    /// Publishes a sample and releases it.
    @discardableResult
    package func ship(_ version: String, of id: String = "news") async throws -> Releaser.Outcome {
        try await publishSample(version, of: id)
        return try await release(version, of: id)
    }

    /// Blocks all threads of publishing until the gate opens.
    package func occupyWork(until gate: Gate) -> [Task<Void, Never>] {
        let work = services.work
        return (0..<WorkExecutor.threadLimit).map { _ in Task.immediate { await work.run { gate.pass() } } }
    }

    /// Returns an instant so many milliseconds from now.
    package func fromNow(_ milliseconds: Int64) -> Timestamp { clock.now().adding(milliseconds: milliseconds) }

    /// Creates a token and returns its secret.
    package func makeToken(_ role: Role, on scope: Scope = .everything) async throws -> String {
        try await tokens.create(name: "test \(role)", role: role, on: scope, by: .server).secret
    }
}

extension Releaser.Outcome {
    /// The only release.
    package var release: Release { status.group.members[0] }

    /// Whether the patches to its version are there.
    package var arePatchesReady: Bool { packagesWithoutPatches.isEmpty }

    /// The releases that hide the release or are hidden by it.
    package var shadowing: Shadowing {
        Shadowing(of: release, among: status.releases[release.package], at: status.instant)
    }
}

extension SystemRandomNumberGenerator {
    /// A generator with a fixed sequence.
    fileprivate struct Fixed: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            // Knuth's MMIX constants; the high bits are the good ones.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 32 | state << 32
        }
    }
}

extension Catalogue {
    /// Declares a channel without protection; returns `false` if it exists.
    package func declareChannel(
        _ name: ChannelName, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await putChannel(name, of: app, by: author).isNew
    }
}
