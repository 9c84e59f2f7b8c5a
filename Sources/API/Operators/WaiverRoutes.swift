import Domain
import Ground
import HTTP
import Platform

/// The routes of waivers: findings of the linter that a package accepts, with the reason.
struct WaiverRoutes {
    let routes: OperatorRoutes

    private static let list = ObjectList<LintWaiver>(
        sorts: [
            .init("code") { [.text($0.code.rawValue), .text($0.path?.text ?? "")] },
            .init("at") { [.number($0.time.milliseconds), .text($0.code.rawValue), .text($0.path?.text ?? "")] },
        ], filters: [.choice("code", LintFinding.Code.self) { $0.code }])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let pattern = "/apps/{app}/packages/{package}/waivers"
        routes.add(.get, pattern, .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let waivers = try await routes.services.waivers.waivers(of: package)
            return try Self.list.respond("waivers", waivers, to: call, Self.json)
        }
        routes.add(.get, pattern + "/{code}", .viewer, to: &router, parameters: ["path"]) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let (code, path) = (try call.parameters.read(.waivedCode), try Self.path(call))
            let waiver = try await routes.services.waivers.requireWaiver(for: code, at: path, of: package)
            return Self.respond(.ok, waiver, routes)
        }
        routes.add(.put, pattern + "/{code}", .releaser, to: &router, parameters: ["path"], hasTag: true) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let (code, path) = (try call.parameters.readNew(.waivedCode), try Self.path(call))
            var body = try await call.json()
            let reason = try body.reason(upTo: LintWaiver.maximumReasonLength)
            try body.finish()
            let (waiver, isNew) = try await routes.services.waivers.putWaiver(
                for: code, at: path, because: reason, of: package, ifMatch: call.precondition, by: call.author)
            return Self.respond(isNew ? .created : .ok, waiver, routes)
        }
        routes.add(.delete, pattern + "/{code}", .releaser, to: &router, parameters: ["path"], hasTag: true) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let (code, path) = (try call.parameters.read(.waivedCode), try Self.path(call))
            let waiver = try await routes.services.waivers.removeWaiver(
                for: code, at: path, of: package, ifMatch: call.precondition, by: call.author)
            return .json(.ok, Self.json(waiver))
        }
    }

    /// Returns the file that `path` names in the query; `nil` for all files.
    private static func path(_ call: OperatorRoutes.Call) throws(PlatformError) -> TreePath? {
        guard let text = call.request.head.query["path"] else { return nil }
        do throws(TreePath.Fault) { return try TreePath(text) } catch {
            throw PlatformError(
                .invalidRequest,
                "'path' must be the path of a file in the package, such as ?path=js/app.js; left out, every file is "
                    + "meant.")
        }
    }

    private static func respond(_ status: Status, _ waiver: LintWaiver, _ routes: OperatorRoutes) -> Response {
        .json(status, json(waiver), tag: waiver.tag(by: routes.services.cryptography))
    }

    private static func json(_ waiver: LintWaiver) -> JSON {
        .object([
            "code": .string(waiver.code.rawValue), "path": waiver.path.map { .string($0.text) },
            "reason": .string(waiver.reason), "by": .string(waiver.actor), "at": .string(waiver.time.rfc3339),
        ])
    }
}
