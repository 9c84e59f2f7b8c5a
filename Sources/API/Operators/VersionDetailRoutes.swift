import Domain
import Execution
import Ground
import HTTP
import Platform

/// The routes of one version: its manifest, its differences from another, its notes, and its retirement.
struct VersionDetailRoutes {
    let routes: OperatorRoutes

    private static let pattern = VersionRoutes.pattern + "/{version}"

    func add(to router: inout OperatorRouter) {
        addReading(to: &router)
        addChanging(to: &router)
    }

    private func addReading(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, Self.pattern + "/files", .viewer, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let version = try await routes.version(call.parameters, of: package)
            return await .json(.ok, on: routes.services.work) { version.manifest }
        }
        routes.add(.get, Self.pattern + "/diff/{other}", .viewer, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let base = try await routes.version(call.parameters, of: package)
            let target = try await routes.version(call.parameters, "other", of: package)
            let summary = try await routes.services.versions.requireSummary(of: target.version, of: package)
            let patches = try await routes.services.archives.patches(
                from: base.version, to: target.version, of: package)
            let comparison = VersionComparison(
                from: base, to: target, fullSize: summary.archiveSize, patches: patches)
            return await .json(.ok, on: routes.services.work) { comparison.json }
        }
    }

    private func addChanging(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.put, Self.pattern + "/notes", .publisher, to: &router, hasTag: true) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let version = try call.parameters.read(.version(of: package.id))
            let notes = try await Self.notes(call)
            let summary = try await routes.services.versions.setNotes(
                notes, of: version, of: package, ifMatch: call.precondition, by: call.author)
            return Self.respond(summary, routes)
        }
        routes.add(.post, Self.pattern + "/retire", .releaser, to: &router, hasTag: true) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let version = try call.parameters.read(.version(of: package.id))
            var body = try await call.json()
            let reason = try body.reason(upTo: Retirement.maximumReasonLength)
            try body.finish()
            let summary = try await routes.services.versions.retire(
                version, of: package, because: reason, ifMatch: call.precondition, by: call.author)
            return Self.respond(summary, routes)
        }
        routes.add(.post, Self.pattern + "/unretire", .releaser, to: &router, hasTag: true) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let version = try call.parameters.read(.version(of: package.id))
            try await call.json().finish()
            let summary = try await routes.services.versions.unretire(
                version, of: package, ifMatch: call.precondition, by: call.author)
            return Self.respond(summary, routes)
        }
    }

    private static func respond(_ summary: VersionSummary, _ routes: OperatorRoutes) -> Response {
        .json(.ok, .object(summary.members), tag: summary.tag(by: routes.services.cryptography))
    }

    /// Reads the notes; returns `nil` for `null`, and throws `invalidRequest` if the member is missing.
    private static func notes(_ call: OperatorRoutes.Call) async throws(PlatformError) -> String? {
        var body = try await call.json()
        let value = body.take("notes")
        try body.finish()
        switch value {
        case .null: return nil
        case .string(let text) where VersionDetails.isFit(notes: text): return text
        default: throw JSONReader.wrong("notes", "\(VersionDetails.Fault.notes.expected), or null for none")
        }
    }
}

extension JSONReader {
    /// Takes the mandatory reason of a change.
    mutating func reason(upTo limit: Int) throws(PlatformError) -> String {
        guard let reason = try string("reason"), PlainText.isFit(reason, upTo: limit) else {
            throw Self.wrong("reason", "the reason in words, 1 to \(limit) bytes long, without control characters")
        }
        return reason
    }
}
