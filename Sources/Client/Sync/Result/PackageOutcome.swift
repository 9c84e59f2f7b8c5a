package import Domain

/// What a pass did about one package.
package struct PackageOutcome: Sendable, Equatable {
    package let package: PackageID
    package let result: Result
    /// What waits for its moment, or why it could not be got ready.
    package var next: Upcoming?
    /// The copy is older than the last mandatory release: the package must not be opened with it.
    package var isMandatory = false
    /// By the server's time: until then the pages are to come from the network, whatever the copy is.
    package var onlineUntil: Timestamp?

    package enum Result: Sendable, Equatable {
        case unchanged(version: String)
        case updated(Update)
        case skipped(Skipping)
        /// It is not the device's turn to download the version; the copy stays as it is until then.
        case waiting(from: String?, to: String, until: Timestamp)
        case failed(from: String?, to: String?, PackageFailure)
    }

    package struct Update: Sendable, Equatable {
        package let from: String?
        package let to: String
        package let means: Means
        /// Bytes that came over the network in this pass.
        package let bytes: Int
        /// Why a smaller way was given up for a larger one; of several, the smallest one's.
        package let fallback: PackageFailure?
    }

    /// How a copy was replaced.
    package enum Means: String, Sendable {
        case full
        case files
        case delta
        /// By a tree that was got ready ahead.
        case prepared
    }

    package enum Skipping: Sendable, Equatable {
        case bySeedRule(SeedDecision.Skipping)
        /// `--only` names a package that the server does not offer.
        case notOffered
    }

    /// A version that takes effect later.
    package struct Upcoming: Sendable, Equatable {
        package let version: String
        /// By the server's time.
        package let activeTime: Timestamp
        /// Bytes that came over the network in this pass.
        package let bytes: Int
        /// `nil` where it is ready, or waits.
        package let failure: PackageFailure?
        /// When it is the device's turn to download it; `nil` where it does not wait.
        package var downloadAfter: Timestamp?
    }

    package var isFailure: Bool {
        if case .failed = result { return true }
        return next?.failure != nil
    }
}
