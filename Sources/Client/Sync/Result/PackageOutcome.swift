package import Domain
package import Ground

/// The outcome of a sync pass for one package.
package struct PackageOutcome: Sendable, Equatable {
    package let package: PackageID
    package let result: Result
    /// A scheduled update, or the reason it could not be prepared.
    package var next: Upcoming?
    /// Whether the copy is older than the last mandatory release, so that the package must not be opened with it.
    package var isMandatory = false
    /// The server time until which the pages must come from the network, whatever the copy is.
    package var onlineUntil: Timestamp?

    package enum Result: Sendable, Equatable {
        case unchanged(version: String)
        case updated(Update)
        case skipped(Skipping)
        /// The device's download time lies ahead; the copy stays unchanged until then.
        case waiting(from: String?, to: String, until: Timestamp)
        case failed(from: String?, to: String?, PackageFailure)
    }

    package struct Update: Sendable, Equatable {
        package let from: String?
        package let to: String
        package let means: Means
        /// The bytes downloaded in this pass.
        package let bytes: Int
        /// The reason why a smaller update failed and a larger one was used; of several, the smallest one's.
        package let fallback: PackageFailure?
    }

    /// The method that replaced the local copy: full archive, incremental archive or delta patch.
    package enum Means: String, Sendable {
        case full
        case files
        case delta
        /// The update used a tree that was prepared earlier.
        case prepared
    }

    package enum Skipping: Sendable, Equatable {
        case bySeedRule(SeedDecision.Skipping)
        /// `--only` names a package that the server does not offer.
        case notOffered
    }

    /// A scheduled version.
    package struct Upcoming: Sendable, Equatable {
        package let version: String
        /// The server time from which the version is active.
        package let activeTime: Timestamp
        /// The bytes downloaded in this pass.
        package let bytes: Int
        /// The failure to prepare the version; `nil` if it is prepared or its download time lies ahead.
        package let failure: PackageFailure?
        /// The device's download time; `nil` if it need not wait.
        package var downloadAfter: Timestamp?
    }

    package var isFailure: Bool {
        if case .failed = result { return true }
        return next?.failure != nil
    }
}
