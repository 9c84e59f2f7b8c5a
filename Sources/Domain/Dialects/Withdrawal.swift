/// A way to keep devices from using their copies of a package.
package enum Withdrawal: Sendable {
    /// The package is not enabled, so no update is offered.
    case disabled
    /// A version whose pages lead to the network replaces the package.
    case killed
    /// Until a given time the pages come from the network; then devices use the package again.
    case online

    /// The behaviour of one protocol's clients.
    package struct Effect: Sendable, Equatable {
        /// The protocol: `config` for `/config`, or a dialect.
        package let client: String
        package let does: String
    }

    /// Returns the behaviour of each of a package's client protocols, for the operator.
    package func effects(on dialects: [any DialectRules]) -> [Effect] {
        let config = Effect(client: "config", does: onConfig)
        return [config] + dialects.map { Effect(client: $0.dialect.rawValue, does: $0.effect(of: self)) }
    }

    private var onConfig: String {
        switch self {
        case .disabled: "gets no update, and continues to use the copy that it has."
        case .killed:
            "installs the version when it next checks, and its pages then redirect to the network; a client that supports "
                + "'mandatory' does so before it opens the package, a client of seed 000 shows the old pages until then."
        case .online:
            "opens the pages from the network until then if it supports 'onlineUntil'; a client of seed 000 does not, and "
                + "continues to use its copy."
        }
    }
}
