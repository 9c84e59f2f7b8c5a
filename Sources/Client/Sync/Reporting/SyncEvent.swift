import Domain

/// Something that the server is told about a package (semantics.md §10).
struct SyncEvent: Sendable, Equatable {
    enum Kind: String, Sendable {
        case downloaded
        case applied
        case failed
    }

    let kind: Kind
    let package: PackageID
    let version: String
    /// What was downloaded; `nil` for a tree that was got ready ahead.
    var artifact: Artifact.Kind?
    /// The version that was there before.
    var from: String?
    /// Bytes that came over the network.
    var bytes: Int?
    /// What went wrong; of an applied update, why a smaller one was given up.
    var failure: PackageFailure?

    /// Bytes of a failure's message that are reported.
    static let maximumMessage = 400

    /// The report as `/report` takes it.
    ///
    /// The same event of the same copy has the same id, however often it is tried: it counts once. The id changes
    /// once a copy was replaced, so that a version which comes back counts again.
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
