package import Ground

/// The record of the secret by which an installation hashes device ids (decision 0075).
package struct DeviceSecretRecord: Sendable, Equatable {
    /// ``DeviceIDs/check`` of the secret.
    package let check: String
    /// The time at which the secret replaced another one, whose rows nobody can find by an id; `nil` for the first.
    package let replacedAt: Timestamp?

    package init(check: String, replacedAt: Timestamp?) {
        self.check = check
        self.replacedAt = replacedAt
    }

    /// Returns the record after a start with a form and a secret.
    ///
    /// - Parameters:
    ///   - old: The record before; `nil` if ids were never hashed.
    ///   - accepted: The check of the secret that may replace another one.
    ///
    /// Throws `invalidRequest` for another secret than before that is not accepted.
    package static func settled(
        after old: DeviceSecretRecord?, by ids: DeviceIDs, accepting accepted: String?, at now: Timestamp
    ) throws(PlatformError) -> DeviceSecretRecord? {
        guard let old else {
            return ids.form == .hashed ? DeviceSecretRecord(check: ids.check, replacedAt: nil) : nil
        }
        if old.check == ids.check { return old }
        guard accepted == ids.check else {
            throw PlatformError(
                .invalidRequest,
                """
                The device ids of this installation are hashed under the secret \(old.check), and the secret of this start is \
                \(ids.check). Give the file of the earlier secret as --device-id-key-file. If that secret is lost or must \
                not be used any more, give --accept-device-id-key \(ids.check): each device becomes a new one, and the rows \
                under the earlier secret stay until they age out (docs/operations.md).
                """)
        }
        return DeviceSecretRecord(check: ids.check, replacedAt: now)
    }

    /// Returns the time before which reports may be stored that no erasure finds; `nil` if all of them have aged out.
    package func unreachableBefore(at now: Timestamp) -> Timestamp? {
        replacedAt.flatMap { $0 >= ReportWindow().oldest(at: now) ? $0 : nil }
    }
}
