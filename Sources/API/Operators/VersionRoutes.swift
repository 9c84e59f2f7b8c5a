import Domain
import HTTP
import Platform

/// Versions: publishing them and seeing what there is.
struct VersionRoutes {
    let routes: OperatorRoutes

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        let publicURL = routes.publicURL
        let pattern = "/apps/{app}/packages/{package}/versions"
        routes.add(.get, pattern, .publisher, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let versions = try await routes.services.store.versions(of: package.id, in: package.app)
            return .json(.ok, .object(["versions": .array(versions.map(Self.json))]))
        }
        routes.add(.get, pattern + "/{version}", .publisher, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let text = call.parameters["version"] ?? ""
            guard let name = VersionString(text),
                let version = try await routes.services.store.version(name, of: package.id, in: package.app)
            else { throw PlatformError(.versionNotFound, "'\(package.id)' has no version '\(text)'.") }
            return .json(.ok, Self.json(version))
        }
        // The limit on the upload is the publisher's own; here only the framing of a form comes on top.
        let bodyLimit = routes.services.publisher.limits.uploadBytes + UploadBody.formOverhead
        routes.add(.post, pattern, .publisher, to: &router, bodyLimit: bodyLimit) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let upload = try await UploadBody.open(call.request)
            let request = Publisher.Request(
                package: package, version: try Self.version(upload.version),
                unwrapping: try Self.unwrapping(upload.unwrap))
            let outcome = try await routes.services.publisher.publish(request, by: call.author) {
                () async throws(PlatformError) in try await upload.next()
            }
            let location = "\(publicURL)/api/v1/apps/\(package.app)/packages/\(package.id)/versions/\(request.version)"
            switch outcome {
            case .published(let summary, let warnings):
                let json = Self.json(summary, status: "published", warnings: warnings)
                return .json(.created, json, fields: [.location: location])
            case .unchanged(let summary, let warnings):
                let json = Self.json(summary, status: "unchanged", warnings: warnings)
                return .json(.ok, json, fields: [.location: location])
            }
        }
    }

    private static func version(_ text: String?) throws(PlatformError) -> VersionString {
        guard let text, let version = VersionString(text) else {
            throw PlatformError(
                .invalidRequest,
                "'version' is needed in the query, such as ?version=1.2.0: \(VersionString.shape).")
        }
        return version
    }

    private static func unwrapping(_ text: String?) throws(PlatformError) -> UploadArrangement.Unwrapping {
        switch text {
        case nil: .automatic
        case "1": .always
        case "0": .never
        default: throw PlatformError(.invalidRequest, "'unwrap' is 1 (take the top folder off) or 0 (leave it).")
        }
    }

    private static func json(_ summary: VersionSummary) -> JSON { json(summary, status: nil, warnings: nil) }

    private static func json(_ summary: VersionSummary, status: String?, warnings: [LintFinding]?) -> JSON {
        .object([
            "version": .string(summary.version.text), "status": status.map { .string($0) },
            "tree": .string(summary.treeHash.hex), "files": .integer(Int64(summary.fileCount)),
            "bytes": .integer(Int64(summary.totalSize)), "archiveBytes": .integer(Int64(summary.archiveSize)),
            "createdAt": .string(summary.createdAt.rfc3339), "warnings": warnings.map { .array($0.map(json)) },
        ])
    }

    private static func json(_ finding: LintFinding) -> JSON {
        .object([
            "code": .string(finding.code.rawValue), "path": finding.path.map { .string($0.text) },
            "message": .string(finding.message),
        ])
    }

    /// The version with its manifest.
    private static func json(_ version: Version) -> JSON {
        .object([
            "version": .string(version.version.text), "tree": .string(version.treeHash.hex),
            "entry": version.entry.map { .string($0.text) } ?? .null,
            "urlPrefix": .string(version.urlPrefix.text), "createdAt": .string(version.createdAt.rfc3339),
            "files": .array(
                version.tree.files.map { file in
                    .object([
                        "path": .string(file.path.text), "size": .integer(Int64(file.content.size)),
                        "sha256": .string(file.content.digest.hex),
                    ])
                }),
        ])
    }
}
