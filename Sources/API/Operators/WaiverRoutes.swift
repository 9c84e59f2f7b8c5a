import Domain
import Ground
import HTTP
import Platform

/// The routes of waivers: findings of the linter that a package accepts, with the reason.
struct WaiverRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let pattern = "/apps/{app}/packages/{package}/waivers"
        routes.add(.get, pattern, .viewer, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let waivers = try await routes.services.waivers.waivers(of: package)
            return .json(.ok, .object(["waivers": .array(waivers.map(Self.json))]))
        }
        routes.add(.put, pattern + "/{code}", .releaser, to: &router, parameters: ["path"]) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let (code, path) = (try call.parameters.readNew(.waivedCode), try Self.path(call))
            var body = try await call.json()
            let reason = try body.reason(upTo: LintWaiver.maximumReasonLength)
            try body.finish()
            let (waiver, isNew) = try await routes.services.waivers.putWaiver(
                for: code, at: path, because: reason, of: package, by: call.author)
            return .json(isNew ? .created : .ok, Self.json(waiver))
        }
        routes.add(.delete, pattern + "/{code}", .releaser, to: &router, parameters: ["path"]) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let (code, path) = (try call.parameters.read(.waivedCode), try Self.path(call))
            let waiver = try await routes.services.waivers.removeWaiver(
                for: code, at: path, of: package, by: call.author)
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

    private static func json(_ waiver: LintWaiver) -> JSON {
        .object([
            "code": .string(waiver.code.rawValue), "path": waiver.path.map { .string($0.text) },
            "reason": .string(waiver.reason), "by": .string(waiver.actor), "at": .string(waiver.time.rfc3339),
        ])
    }
}
