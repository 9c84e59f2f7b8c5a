package import Domain

/// What one pass did.
package struct SyncResult: Sendable, Equatable {
    package let server: String
    package let app: String
    package let deviceID: String
    package let rootKey: String
    package let trust: Trust
    package let configVersion: Int64?
    /// What vouches for the config as a whole; `nil` for one that is not signed.
    package let signature: Signature?
    package let serverTime: Timestamp
    /// In the order in which they were taken up.
    package let packages: [PackageOutcome]
    package let reports: Reports

    /// Why the root key is trusted.
    package enum Trust: String, Sendable {
        /// The command line names it.
        case pinned
        /// An earlier sync saw it.
        case remembered
        /// This is the first sync: the person at the command line should be told.
        case firstUse = "first-use"
    }

    package struct Signature: Sendable, Equatable {
        package let keyID: KeyID
        package let created: Timestamp
        package let expires: Timestamp
    }

    package struct Reports: Sendable, Equatable {
        package let sent: Int
        /// Refused for good by the server.
        package let dropped: Int
        package let waiting: Int
        /// Why some wait; never a failure of the sync.
        package let failure: String?
    }

    package var isSuccess: Bool { !packages.contains(where: \.isFailure) }
}
