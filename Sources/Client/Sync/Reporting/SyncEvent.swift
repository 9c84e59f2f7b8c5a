import Domain
import Ground

/// An event of a package that is reported to the server (semantics.md §10).
struct SyncEvent: Sendable, Equatable {
    enum Kind: String, Sendable {
        case downloaded
        case applied
        case failed
    }

    let kind: Kind
    let package: PackageID
    let version: String
    /// The downloaded artifact; `nil` for a tree that was prepared earlier.
    var artifact: Artifact.Kind?
    /// The previous version.
    var from: String?
    /// The bytes that were downloaded.
    var bytes: Int?
    /// The failure; for an applied update, the failure of the smaller update that was tried first.
    var failure: PackageFailure?

    /// The limit on the bytes of a reported failure message.
    static let maximumMessage = 400

    /// Returns the report in the format of `/report`.
    ///
    /// Repetitions of an event for one copy have the same id and count once. A replaced copy changes the id, so that a
    /// returning version counts again.
    func report(device: String, generation: Int64, at time: Timestamp, by cryptography: any Cryptography) -> JSON {
        let parts = [
            "larder-sync-event-1", device, package.text, version, kind.rawValue, artifact?.rawValue ?? "-", from ?? "-",
            failure?.reason.rawValue ?? "-", String(generation),
        ]
        let id = cryptography.sha256(Array(parts.map { $0 + "\n" }.joined().utf8)).hex.prefix(32)
        return .object([
            "eventId": .string(String(id)), "deviceId": .string(device), "package": .string(package.text),
            "version": .string(version), "event": .string(kind.rawValue), "time": .string(time.rfc3339),
            "kind": artifact.map { .string($0.rawValue) }, "from": from.map { .string($0) },
            "bytes": bytes.map { .integer(Int64($0)) },
            "reason": failure.map { .string($0.reason.rawValue) },
            "message": failure.map {
                .string(String(decoding: $0.message.utf8.prefix(Self.maximumMessage), as: UTF8.self))
            },
        ])
    }
}
