package import Domain
package import Ground

/// The result of one sync pass.
package struct SyncResult: Sendable, Equatable {
    package let server: String
    package let app: String
    package let deviceID: String
    package let rootKey: String
    package let trust: Trust
    package let configVersion: Int64?
    /// The signature over the whole config; `nil` if it is unsigned.
    package let signature: Signature?
    package let serverTime: Timestamp
    /// The outcomes in the order of processing.
    package let packages: [PackageOutcome]
    package let reports: Reports

    /// The reason why the root key is trusted.
    package enum Trust: String, Sendable {
        /// The command line pins the key.
        case pinned
        /// An earlier sync trusted the key.
        case remembered
        /// The first sync trusts the key without proof; the person at the command line should be told.
        case firstUse = "first-use"
    }

    package struct Signature: Sendable, Equatable {
        package let keyID: KeyID
        package let created: Timestamp
        package let expires: Timestamp
    }

    package struct Reports: Sendable, Equatable {
        package let sent: Int
        /// The number of reports that the server rejected permanently.
        package let dropped: Int
        package let waiting: Int
        /// The failure that left reports in the queue; the sync succeeds regardless.
        package let failure: String?
    }

    package var isSuccess: Bool { !packages.contains(where: \.isFailure) }
}
