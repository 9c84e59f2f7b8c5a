import Domain
import Ground

/// A bounded part of a package's removable items, which one transaction removes.
struct PruneStep {
    /// The limits of one step on versions, file rows and single patches; one version may exceed the limit on rows.
    static let mostVersions = 50
    static let mostFiles = 10_000
    static let mostPatches = 500

    private(set) var removal = Removal()
    private(set) var items: [PruneReport.Item] = []
    private(set) var artifactCount = 0
    /// Whether items are left for a further step.
    private(set) var isPart = false

    /// - Parameter isBounded: Whether the limits apply; otherwise the step has all removable items.
    init(
        _ verdict: Retention.Verdict, of package: PackageID, in app: AppID, isBounded: Bool
    ) {
        var sizes: [VersionString: Int] = [:]
        for (artifact, _) in verdict.artifacts { sizes[artifact.version, default: 0] += artifact.size }
        var files = 0
        var versions: Set<VersionString> = []
        for (version, ruling) in verdict.versions {
            guard case .goes(let reason) = ruling else { continue }
            let isFull = removal.versions.count == Self.mostVersions || files + version.fileCount > Self.mostFiles
            guard !isBounded || removal.versions.isEmpty || !isFull else {
                isPart = true
                break
            }
            files += version.fileCount
            versions.insert(version.version)
            removal.versions.append(version.number)
            items.append(
                PruneReport.Item(
                    app: app, package: package, version: version.version, patch: nil, reason: reason,
                    bytes: sizes[version.version] ?? 0))
        }
        for (artifact, ruling) in verdict.artifacts {
            if versions.contains(artifact.version) || artifact.base.map(versions.contains) ?? false {
                artifactCount += 1
                continue
            }
            guard case .goes(let reason) = ruling, reason != .versionGoes, let base = artifact.base else { continue }
            guard !isBounded || removal.artifacts.count < Self.mostPatches else {
                isPart = true
                continue
            }
            artifactCount += 1
            removal.artifacts.append(artifact.number)
            items.append(
                PruneReport.Item(
                    app: app, package: package, version: artifact.version,
                    patch: .init(kind: artifact.kind, base: base, blob: artifact.blob), reason: reason,
                    bytes: artifact.size))
        }
    }

    /// Returns the details of the step's audit entry: the names of the versions and the count of the artifacts.
    func details() -> [JSON.Member] {
        let versions = items.filter { $0.patch == nil }.map { JSON.string($0.version.text) }
        return [.init("versions", .array(versions)), .init("artifacts", .integer(Int64(artifactCount)))]
    }
}
