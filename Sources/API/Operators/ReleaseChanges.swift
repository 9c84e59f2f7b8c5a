import Domain
import Ground
import HTTP
import Platform

/// The changes of releases and release sets that a body states, made at once or after an approval (decision 0081).
struct ReleaseChanges {
    let services: Services
    let face: ReleaseRoutes.Face
    let app: LiveApp
    /// The body of the request.
    let body: JSON
    let author: Operator
    let precondition: IfMatchPrecondition?

    /// Makes a release of a package, or a release set without one.
    func make(of package: Package?) async throws(PlatformError) -> Response {
        var body = try JSONReader(body)
        let terms = try body.approvalTerms()
        let isForced = try body.bool("force") ?? false
        let reader = ReleaseRequestReader(services: services)
        let request =
            if let package {
                ReleaseRequest(try await reader.draft(&body, of: package))
            } else {
                try await reader.set(&body, of: app)
            }
        return try await pass(.make(request, isForced: isForced), on: request.channel, terms) {
            (author) throws(PlatformError) in
            let made = try await services.releaser.release(request, isForced: isForced, by: author)
            let json = ReleaseGroupJSON(status: made.status, gaps: await services.gapsIfKnown(of: made.status))
            let warnings = json.warnings
            return Self.respond(
                json, .created, json.shadowing,
                [
                    .init("warnings", .array(warnings.map { .string($0.sentence) })),
                    .init("warningCodes", .array(warnings.map { .string($0.rawValue) })),
                ])
        }
    }

    /// Makes the change of a `PATCH`.
    func change(_ id: ReleaseGroup.ID) async throws(PlatformError) -> Response {
        var body = try JSONReader(body)
        if let json = body.take(ReleaseTerms.Name.health) { return try await judge(id, by: json, body) }
        let percent = try body.percent("percent")
        let isWithoutRules = try body.bool(ReleaseTerms.Name.withoutRules) ?? false
        switch (percent != nil || isWithoutRules, try body.time("activeTime")) {
        case (true, nil): return try await act(.widen(percent, withoutRules: isWithoutRules), on: id, body)
        case (false, let moment?): return try await act(.reschedule(moment), on: id, body)
        default:
            throw PlatformError(
                .invalidRequest,
                "Give one change: 'percent', 'withoutRules': true or both, to widen the release; 'activeTime', to move it; "
                    + "'health', to change its health rules.")
        }
    }

    /// Performs an action without values.
    func act(_ action: ReleaseAction, on id: ReleaseGroup.ID) async throws(PlatformError) -> Response {
        try await act(action, on: id, try JSONReader(body))
    }

    /// Makes the change of a request that was approved; returns the group that it has made or changed.
    ///
    /// - Parameter package: The package of a release; `nil` for a release set.
    func make(approved draft: ApprovalDraft, of package: Package?) async throws(PlatformError) -> ReleaseGroup.ID {
        switch (draft.action.kind, draft.group) {
        case (.create, _):
            guard case .bytes(let bytes) = try await make(of: package).body,
                let number = JSON(parsing: bytes)?["id"]?.integer
            else { throw PlatformError(.internalError, "The response to an approved request has no number.") }
            return package.map { .release(ReleaseID(number), of: $0.id) } ?? .set(ReleaseSetID(number))
        case (.resume, let id?): _ = try await act(.resume, on: id)
        case (.complete, let id?): _ = try await act(.complete, on: id)
        case (.widen, let id?), (.reschedule, let id?), (.health, let id?): _ = try await change(id)
        case (_, nil): break
        }
        guard let id = draft.group else { throw PlatformError(.storageFailed, "A stored approval names no release.") }
        return id
    }

    private func act(
        _ action: ReleaseAction, on id: ReleaseGroup.ID, _ body: JSONReader
    ) async throws(PlatformError) -> Response {
        var body = body
        let isForced = try body.bool("force") ?? false
        let needsApproval = action.kind.approval != nil
        let terms = needsApproval ? try body.approvalTerms() : .none
        try body.finish()
        func run(_ author: Operator) async throws(PlatformError) -> Response {
            let status = try await services.releaser.apply(
                action, to: id, of: app, ifMatch: precondition, isForced: isForced, by: author)
            let json = ReleaseGroupJSON(status: status, gaps: await services.gapsIfKnown(of: status))
            guard action == .halt else { return Self.respond(json, .ok, json.shadowing) }
            return Self.respond(json, .ok, zip(json.shadowing, json.fallbacks).map { $0 + $1 })
        }
        guard needsApproval else { return try await run(author) }
        return try await pass(
            .act(action, on: id, isForced: isForced, ifMatch: precondition), on: try await channel(of: id), terms, run)
    }

    /// Replaces the health rules of a group.
    private func judge(
        _ id: ReleaseGroup.ID, by json: JSON, _ body: JSONReader
    ) async throws(PlatformError) -> Response {
        var body = body
        let terms = try body.approvalTerms()
        try body.finish()
        let policy = json == .null ? nil : try HealthPolicy.read(json)
        func run(_ author: Operator) async throws(PlatformError) -> Response {
            let status = try await services.releaser.judge(
                id, of: app, by: policy, ifMatch: precondition, author: author)
            let json = ReleaseGroupJSON(status: status, gaps: await services.gapsIfKnown(of: status))
            return Self.respond(json, .ok, json.shadowing)
        }
        // New rules only hold steps and stop; changed and removed ones may let a plan go on.
        if terms == .none, try await !services.approvals.isApprovalNeeded(toJudge: id, of: app) {
            return try await run(author)
        }
        return try await pass(.judge(id, by: policy, ifMatch: precondition), on: try await channel(of: id), terms, run)
    }

    // MARK: Approvals

    /// Makes a change, or stores it until a second person approves it.
    private func pass(
        _ change: Approvals.Change, on channel: ChannelName, _ terms: Approvals.Terms,
        _ run: (Operator) async throws(PlatformError) -> Response
    ) async throws(PlatformError) -> Response {
        if let permitted = try await services.approvals.permit(author, on: channel, of: app, terms) {
            return try await run(permitted)
        }
        guard !author.isRehearsing else { return try await run(author).requiringApproval }
        let approval = try await services.approvals.request(change, of: app, body: body, terms, by: author)
        let now = services.clock.now()
        return .json(
            .accepted, .object(approval.members(at: now)),
            fields: [
                .etag: "\"\(approval.tag(at: now))\"",
                .location: "\(OperatorRoutes.root)/apps/\(app.id)/approvals/\(approval.id)",
            ])
    }

    private func channel(of id: ReleaseGroup.ID) async throws(PlatformError) -> ChannelName {
        try await services.releaser.find(id, of: app).group.channel
    }

    private static func respond(
        _ json: ReleaseGroupJSON, _ status: Status, _ more: [[JSON.Member]] = [], _ last: [JSON.Member] = []
    ) -> Response {
        .json(status, .object(json.members(more) + last), fields: [.etag: json.etag])
    }
}

extension Services {
    /// Reads the versions without a patch; returns an empty result if they cannot be read.
    ///
    /// After a change an error would make the client repeat what is committed. A shown set has no gaps then
    /// either, since one unreadable package would hide the others.
    func gapsIfKnown(of status: Releaser.Status) async -> [ReleaseID: [PatchGap]] {
        do throws(PlatformError) { return try await patchBackfill.gaps(of: status) } catch {
            log.write(
                "release.patches-unknown", ["code": error.code.rawValue, "cause": error.cause ?? error.message])
            return [:]
        }
    }
}

extension JSONReader {
    /// Takes the members of a change that may need an approval: `approvalReason` and `breakGlass`.
    fileprivate mutating func approvalTerms() throws(PlatformError) -> Approvals.Terms {
        Approvals.Terms(
            reason: try reason("approvalReason", of: 1...Approval.maximumReason),
            breakGlass: try reason("breakGlass", of: Approval.minimumBreakGlass...Approval.maximumReason))
    }

    /// Takes a text for people.
    mutating func reason(_ key: String, of lengths: ClosedRange<Int>) throws(PlatformError) -> String? {
        guard let text = try string(key) else { return nil }
        guard lengths.contains(text.count) else {
            throw Self.wrong(key, "\(lengths.lowerBound) to \(lengths.upperBound) characters")
        }
        return text
    }
}

extension Response {
    /// The response to a dry run of a change that waits for an approval.
    fileprivate var requiringApproval: Response {
        guard case .bytes(let bytes) = body, let members = JSON(parsing: bytes)?.members else { return self }
        var response = self
        response.body = .bytes(JSON.object(members + [.init("approvalRequired", true)]).bytes())
        return response
    }
}
