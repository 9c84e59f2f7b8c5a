/// The state of an app in the store, as numbers that only grow.
package struct AppRevision: Sendable, Equatable {
    package let configVersion: Int64
    /// The sequence of the app's last event.
    package let sequence: Int64

    /// The revision before every stored one.
    package static let none = AppRevision(configVersion: 0, sequence: 0)

    package init(configVersion: Int64, sequence: Int64) {
        self.configVersion = configVersion
        self.sequence = sequence
    }

    /// Whether the other revision has changes that this one lacks.
    package func isBehind(_ other: AppRevision) -> Bool {
        configVersion < other.configVersion || sequence < other.sequence
    }

    /// Returns the later one of two revisions.
    package func later(_ other: AppRevision) -> AppRevision {
        AppRevision(
            configVersion: max(configVersion, other.configVersion), sequence: max(sequence, other.sequence))
    }
}

extension AppState {
    /// The revision of the app that the state has.
    package var revision: AppRevision { AppRevision(configVersion: configVersion, sequence: sequence) }
}
