import Ground

// The entity tags of objects that operators change, as far as the objects do not count their changes. A tag is a digest
// of what a change can change, so that a change of anything else does not refuse an operator's change.

extension PageGrant {
    package func tag(by cryptography: any Cryptography) -> String {
        String(
            tagOf: .object([
                "origin": .string(origin.text), "path": .string(path.text),
                "apis": .array(apis.map { .string($0) }), "expires": .string(expiresAt.rfc3339),
            ]), by: cryptography)
    }
}

extension LintWaiver {
    package func tag(by cryptography: any Cryptography) -> String {
        String(
            tagOf: .object(["reason": .string(reason), "by": .string(actor), "at": .string(time.rfc3339)]),
            by: cryptography)
    }
}

extension Preset {
    package func tag(by cryptography: any Cryptography) -> String {
        let versions = versions.sorted { $0.key < $1.key }.map { JSON.Member($0.key.text, .string($0.value.text)) }
        return String(
            tagOf: .object(["createdAt": .string(createdAt.rfc3339), "packages": .object(versions)]), by: cryptography)
    }
}

extension AppKey {
    package func tag(by cryptography: any Cryptography) -> String {
        String(
            tagOf: .object(["keyId": .string(id.text), "retiredAt": retiredAt.map { .string($0.rfc3339) } ?? .null]),
            by: cryptography)
    }
}

extension VersionSummary {
    /// The tag of what an operator can change of a version: its notes and its retirement.
    package func tag(by cryptography: any Cryptography) -> String {
        String(
            tagOf: .object([
                "createdAt": .string(createdAt.rfc3339), "notes": details.notes.map { .string($0) } ?? .null,
                "retired": retirement.map {
                    .array([.string($0.time.rfc3339), .string($0.actor), .string($0.reason)])
                } ?? .null,
            ]), by: cryptography)
    }
}

extension Webhook {
    /// The tag of a webhook, which counts its changes.
    package var tag: String { String(revision) }
}

extension DeviceListSummary {
    /// The tag of a device list, which counts its changes.
    package var tag: String { String(revision) }
}

extension AppID {
    /// The tag of an app, which has no settings of its own.
    package func tag(by cryptography: any Cryptography) -> String { String(tagOf: .string(text), by: cryptography) }
}
