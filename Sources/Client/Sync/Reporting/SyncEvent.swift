import Domain
import Ground

/// An event of a package that is reported to the server (semantics.md §10).
struct SyncEvent: Sendable, Equatable {
    let event: NamedEvent
    let package: PackageID
    let version: String
    /// The downloaded artifact, or the one that failed; `nil` for a tree that was prepared earlier.
    var artifact: Artifact.Kind?
    /// The previous version.
    var from: String?
    /// The bytes that were downloaded.
    var bytes: Int?
    /// The time that the event took.
    var duration: Duration?
    /// The failure; for an applied update, the failure of the smaller update that was tried first.
    var failure: PackageFailure?

    /// The limit on the bytes of a reported failure message.
    static let maximumMessage = 400

    /// The facts of the device that statistics distinguish.
    static let reportedFacts: Set<Fact> = [.network, .platform, .osVersion, .appVersion]

    /// Returns the report in the format of `/report`.
    ///
    /// Repetitions of an event for one copy have the same id and count once. A replaced copy changes the id, so that a
    /// returning version counts again.
    ///
    /// - Parameter facts: The facts of the device, of which reports have ``reportedFacts``.
    func report(
        device: String, generation: Int64, facts: [(fact: Fact, value: String)], at time: Timestamp,
        by cryptography: any Cryptography
    ) -> JSON {
        let parts = [
            "larder-sync-event-1", device, package.text, version, event.rawValue, artifact?.rawValue ?? "-",
            from ?? "-",
            failure?.reason.rawValue ?? "-", String(generation),
        ]
        let id = cryptography.sha256(Array(parts.map { $0 + "\n" }.joined().utf8)).hex.prefix(32)
        let report: JSON = .object([
            "eventId": .string(String(id)), "deviceId": .string(device), "package": .string(package.text),
            "version": .string(version), "event": .string(event.rawValue), "time": .string(time.rfc3339),
            "kind": artifact.map { .string($0.rawValue) }, "from": from.map { .string($0) },
            "bytes": bytes.map { .integer(Int64($0)) },
            "duration": duration.map { .integer(Int64($0 / .milliseconds(1))) },
            "reason": failure.map { .string($0.reason.rawValue) },
            "message": failure.map {
                .string(String(decoding: $0.message.utf8.prefix(Self.maximumMessage), as: UTF8.self))
            },
        ])
        let known = facts.filter { Self.reportedFacts.contains($0.fact) }.map { fact, value in
            JSON.Member(fact.description, .string(value))
        }
        return .object((report.members ?? []) + known)
    }
}
