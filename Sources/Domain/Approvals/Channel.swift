package import Ground

/// A channel of an app with its settings.
package struct Channel: Sendable, Equatable {
    package let name: ChannelName
    /// The number of further persons who approve a change that starts or widens releases on the channel.
    package let approvals: Int64

    package static let approvalCounts: ClosedRange<Int64> = 0...1

    package init(name: ChannelName, approvals: Int64 = 0) {
        self.name = name
        self.approvals = approvals
    }

    /// Whether a second person approves the changes that start or widen releases (decision 0081).
    package var isProtected: Bool { approvals > 0 }

    /// The channel as the API and the audit log show it.
    package var members: [JSON.Member] {
        [.init("name", .string(name.text)), .init("approvals", .integer(approvals))]
    }

    package func tag(by cryptography: any Cryptography) -> String {
        String(tagOf: .object(members), by: cryptography)
    }
}
