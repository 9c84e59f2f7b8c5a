import Ground

/// The command `larder approval`, by which a second person decides on changes of protected channels.
enum ApprovalCommand: Command {
    static let name = "approval"
    static let summary = "list, approve, reject and withdraw changes that wait for a second person"
    static let about = """
        A change that starts or widens a release on a protected channel waits until a second person approves it, for 7
        days at most. 'approve' and 'reject' are for another person than the one who asked; the tokens of a user count
        as that user. 'larder channel change NAME --approvals 1' protects a channel.
        """

    private static let columns = [
        Column("id", "id", .number), Column("state", "state", .state), Column("action", "action", .whole),
        Column("by", "requestedBy"), Column("expires", "expiresAt", .time), Column("change", "summary"),
    ]
    private static let comment = Field(
        "--comment", "TEXT", "a text for the person who asked, which the audit log keeps")
    private static let one = "/apps/{app}/approvals/{approval}"

    static var verbs: [Verb] {
        [
            .request(
                "list", "show the requests, the latest first", "GET /apps/{app}/approvals",
                [
                    Field(
                        "--state", "pending|approved|rejected|withdrawn|expired", "only requests in this state",
                        isInQuery: true),
                    Field("--channel", "NAME", "only requests for this channel", isInQuery: true),
                    Field("--package", "ID", "only requests for this package", isInQuery: true),
                ],
                .table("approvals", columns)),
            .request("show", "show one request", Route(stringLiteral: "GET \(one)"), [], .details),
            .request(
                "approve", "approve a request of another person, and make its change",
                Route(stringLiteral: "POST \(one)/approve"), [comment],
                .line("approved {id}: {summary}", dryRun: "would approve {id}: {summary}"), isRisky: true),
            .request(
                "reject", "reject a request of another person", Route(stringLiteral: "POST \(one)/reject"), [comment],
                .line("rejected {id}: {summary}", dryRun: "would reject {id}: {summary}")),
            .request(
                "withdraw", "withdraw your own request", Route(stringLiteral: "POST \(one)/withdraw"), [],
                .line("withdrew {id}: {summary}", dryRun: "would withdraw {id}: {summary}")),
        ]
    }
}

extension OperatorCall {
    /// Prints the approval request that a change waits for; returns `false` for any other response.
    func showApproval(_ response: JSON) -> Bool {
        guard response["requestedBy"] != nil else { return false }
        let (id, app) = (Self.text(response["id"]), Self.text(response["app"]))
        switch form {
        case .json: Terminal.out(response.text)
        case .quiet: Terminal.out(id)
        case .text:
            Terminal.out("Waits for approval \(id): \(Self.text(response["summary"]))")
            Terminal.out(
                "  A second person runs: larder approval approve \(id)\(app == "default" ? "" : " --app \(app)")")
        }
        return true
    }
}

extension Parameter where Value == OperatorCall {
    /// Returns a call with the options of a change that may need an approval.
    static func approvable(_ call: Parameter<OperatorCall>) -> Parameter<OperatorCall> {
        Parameter<(OperatorCall, String?, String?)>(
            call,
            .option("--approval-reason", "TEXT", "on a protected channel, the reason that the second person reads"),
            .option(
                "--break-glass", "REASON",
                "on a protected channel, make the change without an approval, for this reason; only admins may")
        ).map { call, reason, breakGlass throws(CommandError) in
            var call = call
            let members = [("approvalReason", reason), ("breakGlass", breakGlass)]
            call.members = members.compactMap { name, text in text.map { .init(name, .string($0)) } }
            return call
        }
    }
}
