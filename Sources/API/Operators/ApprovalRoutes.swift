import Domain
import Ground
import HTTP
import Platform

/// The routes of changes that wait for a second person (decision 0081).
struct ApprovalRoutes {
    let routes: OperatorRoutes

    private static let pattern = "/apps/{app}/approvals"
    private static let one = pattern + "/{approval}"

    /// A request in the list, whose state depends on the time.
    private struct Listed {
        let approval: Approval
        let instant: Timestamp
    }

    private static let list = ObjectList<Listed>(
        sorts: [.init("-id") { [.number($0.approval.id.value)] }],
        filters: [
            .choice("state", ApprovalState.self) { $0.approval.state(at: $0.instant) },
            .channel { $0.approval.draft.channel },
            .init("package") { (text) throws(PlatformError) in
                let package = try NameKind.package.read(text)
                return { $0.approval.draft.packages.contains(package) }
            },
        ])

    func add(to router: inout OperatorRouter) {
        let services = routes.services
        routes.add(.get, Self.pattern, .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let now = services.clock.now()
            let all = try await services.approvals.approvals(of: try routes.app(call.parameters))
            return try Self.list.respond("approvals", all.map { Listed(approval: $0, instant: now) }, to: call) {
                .object($0.approval.members(at: now))
            }
        }
        routes.add(.get, Self.one, .viewer, to: &router) { call throws(PlatformError) in
            respond(
                try await services.approvals.requireApproval(
                    try call.parameters.read(.approval), of: try routes.app(call.parameters)))
        }
        routes.add(.post, Self.one + "/approve", .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            let (app, comment) = (try routes.app(call.parameters), try await comment(call))
            let approved = try await services.approvals.approve(
                try call.parameters.read(.approval), of: app, comment: comment, ifMatch: call.precondition,
                by: call.author)
            let draft = approved.approval.draft
            var package: Package?
            if !draft.action.isOfSet {
                package = try await services.catalogue.requirePackage(draft.packages[0], of: app)
            }
            let changes = ReleaseChanges(
                services: services, face: draft.action.isOfSet ? .set : .release, app: app, body: draft.request,
                author: approved.requester, precondition: nil)
            let group = try await changes.make(approved: draft, of: package)
            return respond(approved.approval.with(group: group))
        }
        routes.add(.post, Self.one + "/reject", .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            let (app, comment) = (try routes.app(call.parameters), try await comment(call))
            return respond(
                try await services.approvals.reject(
                    try call.parameters.read(.approval), of: app, comment: comment, ifMatch: call.precondition,
                    by: call.author))
        }
        routes.add(.post, Self.one + "/withdraw", .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            try await call.json().finish()
            return respond(
                try await services.approvals.withdraw(
                    try call.parameters.read(.approval), of: try routes.app(call.parameters),
                    ifMatch: call.precondition, by: call.author))
        }
    }

    private func comment(_ call: OperatorRoutes.Call) async throws(PlatformError) -> String? {
        var body = try await call.json()
        let comment = try body.reason("comment", of: 1...Approval.maximumReason)
        try body.finish()
        return comment
    }

    private func respond(_ approval: Approval) -> Response {
        let now = routes.services.clock.now()
        return .json(.ok, .object(approval.members(at: now)), tag: approval.tag(at: now))
    }
}
