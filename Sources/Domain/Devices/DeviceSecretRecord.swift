package import Ground

/// The record of the secret by which an installation hashes device ids (decision 0075).
package struct DeviceSecretRecord: Sendable, Equatable {
    /// ``DeviceIDs/fingerprint`` of the secret.
    package let fingerprint: String
    /// The time at which the secret replaced another one, whose rows nobody can find by an id; `nil` for the first.
    package let replacedAt: Timestamp?

    package init(fingerprint: String, replacedAt: Timestamp?) {
        self.fingerprint = fingerprint
        self.replacedAt = replacedAt
    }

    /// Returns the record after a start with a form and a secret.
    ///
    /// - Parameters:
    ///   - old: The record before; `nil` if ids were never hashed.
    ///   - accepted: The fingerprint of the secret that may replace another one.
    ///
    /// Throws `invalidRequest` for another secret than before that is not accepted.
    package static func settled(
        after old: DeviceSecretRecord?, by ids: DeviceIDs, accepting accepted: String?, at now: Timestamp
    ) throws(PlatformError) -> DeviceSecretRecord? {
        guard let old else {
            return ids.form == .hashed ? DeviceSecretRecord(fingerprint: ids.fingerprint, replacedAt: nil) : nil
        }
        if old.fingerprint == ids.fingerprint { return old }
        guard accepted == ids.fingerprint else {
            throw PlatformError(
                .invalidRequest,
                """
                Device ids were hashed under the secret with the fingerprint \(old.fingerprint), and this start has one \
                with \(ids.fingerprint). To keep the devices, start with the earlier secret: its file as \
                --device-id-key-file, or without that option if the secret was the one in the database. Only if it is \
                lost or must not be used any more, add --accept-device-id-fingerprint \(ids.fingerprint): each device \
                becomes a new one ('Hashing device ids' in docs/operations.md).
                """)
        }
        return DeviceSecretRecord(fingerprint: ids.fingerprint, replacedAt: now)
    }

    /// The time for which rows of before may be there: they age by the days on which the server ran, so twice their lifetime.
    package static let agingMilliseconds = 2 * ReportWindow.lifetimeMilliseconds

    /// Returns the time before which rows may be stored that no erasure finds; `nil` if all of them have aged out.
    package func unreachableBefore(at now: Timestamp) -> Timestamp? {
        replacedAt.flatMap { now.milliseconds - $0.milliseconds <= Self.agingMilliseconds ? $0 : nil }
    }
}
