import Domain
import Ground
import HTTP

extension OperationGroup {
    static let approvals = OperationGroup(
        name: "Approvals", text: "Changes on protected channels wait for a second person.",
        operations: [
            Operation(
                route: "GET /apps/{app}/approvals", id: "listApprovals",
                summary: "Lists approval requests, the latest first",
                responses: [.list("approvals", of: "Approval", #"{"approvals": []}"#)],
                parameters: ["state": .choice(ApprovalState.self)]),
            Operation(
                route: "GET /apps/{app}/approvals/{approval}", id: "getApproval",
                summary: "Returns one approval request", responses: [.ok(.named("Approval"), approval)]),
            Operation(
                route: "POST /apps/{app}/approvals/{approval}/approve", id: "approve",
                summary: "Approves a request of another person, and makes its change", body: comment,
                responses: [.ok(.named("Approval"), approval)],
                errors: [
                    .approvalOutdated, .channelNotFound, .packageNotFound, .versionNotFound, .versionRetired,
                    .listNotFound, .releaseNotFound, .releaseExists, .dependentsLost, .signingFailed, .busy,
                ]),
            Operation(
                route: "POST /apps/{app}/approvals/{approval}/reject", id: "rejectApproval",
                summary: "Rejects a request of another person", body: comment,
                responses: [.ok(.named("Approval"), approval)]),
            Operation(
                route: "POST /apps/{app}/approvals/{approval}/withdraw", id: "withdrawApproval",
                summary: "Withdraws a request", body: .json(.object([:]), "{}", isRequired: false),
                responses: [.ok(.named("Approval"), approval)]),
        ],
        schemas: [
            (
                "Approval",
                .shown(
                    [
                        "id": .id, "app": .name, "channel": .name, "state": .choice(ApprovalState.self),
                        "action": .choice(ApprovalAction.self), "packages": .array(.packageID), "requestedBy": .text,
                        "requestedAt": .time, "expiresAt": .time, "request": .anyObject, "summary": .text,
                        "change": .anyObject,
                        "estimate": Schema.object(["matching": .count, "seen": .count]).orNull,
                    ],
                    optional: [
                        "package": .packageID, "release": .id, "releaseSet": .id, "version": .version, "reason": .text,
                        "decidedBy": .text, "decidedAt": .time, "comment": .text,
                    ])
            ),
            ("ApprovalComment", .object([:], optional: ["comment": .reason])),
            (
                "WideningAction",
                .object([:], optional: ["force": .boolean, "approvalReason": .reason, "breakGlass": .breakGlass])
            ),
        ])

    private static let comment = Operation.Body.json(
        .named("ApprovalComment"), #"{"comment": "Checked on three devices."}"#, isRequired: false)

    static let approval =
        #"{"id": 12, "app": "default", "channel": "production", "state": "pending", "action": "release.create", "#
        + #""package": "news", "packages": ["news"], "version": "1.1.0", "requestedBy": "ann (user #1)", "#
        + #""requestedAt": "2026-12-01T00:00:00Z", "expiresAt": "2026-12-08T00:00:00Z", "request": {"version": "1.1.0"}, "#
        + #""summary": "Release news 1.1.0 on 'production' at 100 %.", "change": {"before": null, "after": {}}, "#
        + #""estimate": null}"#
}

extension Operation.Body {
    /// No members, or those of a change that may need an approval.
    static let widening = json(.named("WideningAction"), #"{"force": true}"#, isRequired: false)
}

extension Operation.Outcome {
    /// The approval request that waits for a second person.
    static var approval: Operation.Outcome {
        var outcome = json(
            .accepted, "The change waits for an approval", .named("Approval"), OperationGroup.approval)
        outcome.fields = ["Location"]
        return outcome
    }
}

extension Schema {
    static let reason = text(1...Approval.maximumReason)
    static let breakGlass = text(Approval.minimumBreakGlass...Approval.maximumReason)
}
