import Domain
import Ground
import HTTP
import Platform

/// The routes that publish and list versions.
struct VersionRoutes {
    let routes: OperatorRoutes

    static let pattern = "/apps/{app}/packages/{package}/versions"

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(
            .get, Self.pattern, .viewer, to: &router,
            parameters: ListRequest.parameters(filters: ["prefix", "state"])
        ) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let request = try ListRequest(call.request.head, sorts: ["published"])
            let page = try await routes.services.versions.versions(
                of: package, try Self.query(request, call.request.head.query))
            var response = await Response.json(.ok, on: routes.services.work) {
                .object(["versions": .array(page.versions.map { .object($0.members) })])
            }
            response.fields[.link] = page.end.map { request.link(after: [.number($0)]) }
            return response
        }
        routes.add(.get, Self.pattern + "/{version}", .viewer, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let version = try await routes.version(call.parameters, of: package)
            let versions = routes.services.versions
            let summary = try await versions.requireSummary(of: version.version, of: package)
            let findings = try await versions.findings(of: version.version, of: package)
            var response = await Response.json(.ok, on: routes.services.work) {
                .object(version.members(summary, findings))
            }
            response.fields[.etag] = "\"\(summary.tag(by: routes.services.cryptography))\""
            return response
        }
        addPublishing(to: &router)
    }

    /// The states by which versions can be filtered.
    private enum State: String, CaseIterable {
        case releasable
        case retired
    }

    private static func query(_ request: ListRequest, _ query: Query) throws(PlatformError) -> VersionQuery {
        let state = try query["state"].map { text throws(PlatformError) in
            guard let state = State(rawValue: text) else {
                throw JSONReader.wrong("state", "one of " + State.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return state
        }
        return VersionQuery(
            prefix: query["prefix"], isRetired: state.map { $0 == .retired }, isNewestFirst: request.sort.isDescending,
            after: try request.number(), limit: request.limit)
    }

    private func addPublishing(to router: inout OperatorRouter) {
        let (routes, publicURL) = (routes, routes.publicURL)
        // The publisher limits the upload itself; this limit adds the framing of a form.
        let bodyLimit = routes.services.publisher.limits.uploadBytes + UploadBody.formOverhead
        routes.add(
            .post, Self.pattern, .publisher, to: &router, bodyLimit: bodyLimit,
            parameters: QueryParameters(UploadBody.Parameter.names + ["upload"]), dryRun: .handledByRoute
        ) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let received = try Self.receivedUpload(call.request)
            // The Content-Type of an empty body is ignored.
            let body = received == nil ? try await UploadBody.open(call.request) : UploadBody(call.request)
            let request = try body.request(for: package)
            let publisher = routes.services.publisher
            let outcome: Publisher.Outcome
            if let received {
                outcome = try await routes.services.uploads.consume(
                    received, by: call.author, unless: { _ in request.isDryRun }
                ) { upload throws(PlatformError) in
                    try await publisher.publish(request, from: upload, by: call.author)
                }
            } else {
                let uploads = routes.services.uploads
                outcome = try await uploads.receiving(length: call.request.body.length, by: call.author) {
                    direct throws(PlatformError) in
                    try await publisher.publish(request, by: call.author) { () async throws(PlatformError) in
                        let piece = try await body.next()
                        if let piece { try await uploads.count(piece.count, of: direct) }
                        return piece
                    }
                }
            }
            let json = JSON.object(outcome.members)
            let location = "\(publicURL)/api/v1/apps/\(package.app)/packages/\(package.id)/versions/\(request.version)"
            return switch outcome {
            case .published: .json(.created, json, fields: [.location: location])
            case .unchanged, .exists: .json(.ok, json, fields: [.location: location])
            case .possible: .json(.ok, json)
            }
        }
    }

    /// Returns the resumable upload to publish instead of a body; `nil` if the body is the zip.
    private static func receivedUpload(_ request: Request) throws(PlatformError) -> UploadID? {
        guard let text = request.head.query["upload"] else { return nil }
        guard request.body.length == 0 else {
            throw PlatformError(
                .invalidRequest, "Send the zip as the body, or give a finished upload in 'upload', not both.")
        }
        return try NameKind.upload.read(text)
    }
}

extension OperatorRoutes {
    /// Returns the version that a path names.
    func version(
        _ parameters: PathParameters, _ placeholder: String = "version", of package: Package
    ) async throws(PlatformError) -> Version {
        try await services.versions.requireVersion(
            try parameters.read(.version(placeholder, of: package.id)), of: package)
    }
}
