/// An operator who takes part in the decision on an approval request, and needs the right to release for it.
package struct ApprovalParty: Sendable, Equatable {
    package enum Part: Sendable {
        /// The operator who asked.
        case requester
        /// The operator who approves or rejects.
        case decider
    }

    package let part: Part
    package let principal: Principal
    private let name: String
    private let app: AppID
    private let channel: ChannelName

    /// - Parameter name: The name in the audit log.
    package init(_ part: Part, _ principal: Principal, named name: String, on channel: ChannelName, of app: AppID) {
        self.part = part
        self.principal = principal
        self.name = name
        self.app = app
        self.channel = channel
    }

    /// Throws `conflict` if the grants of the operator who asked no longer permit releases on the channel, and `forbidden` if
    /// those of the operator who decides do not.
    ///
    /// - Parameter grants: The grants that the operator has now; empty for one who is disabled, revoked or expired.
    package func require(_ grants: [Grant], for id: ApprovalID) throws(PlatformError) {
        guard mayRelease(with: grants) else { throw refusal(of: id) }
    }

    /// Returns whether grants permit releases on the channel.
    package func mayRelease(with grants: [Grant]) -> Bool {
        grants.contains { $0.meets(Requirement(.releaser, .on(.channel(channel, of: app)))) }
    }

    /// Returns the error of an operator who may not release.
    package func refusal(of id: ApprovalID) -> PlatformError {
        switch part {
        case .requester:
            PlatformError(
                .conflict,
                "\(name), who asked for approval \(id), may no longer release on the channel '\(channel)'. Reject it, and let "
                    + "another operator send the change.")
        case .decider: PlatformError(.forbidden, "\(name) may no longer release on the channel '\(channel)'.")
        }
    }
}
