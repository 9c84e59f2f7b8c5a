package import Ground

/// An entry as the audit log has it.
package struct RecordedAuditEntry: Sendable, Equatable {
    package let id: Int64
    package let entry: AuditEntry
    /// The hash of the chain through this entry; `nil` in entries of earlier versions.
    package let hash: SHA256Digest?

    package init(id: Int64, entry: AuditEntry, hash: SHA256Digest?) {
        self.id = id
        self.entry = entry
        self.hash = hash
    }

    /// The entry as the audit log shows it, with the hash as its last member (docs/formats/audit-chain.md).
    package var json: JSON {
        let hash = hash.map { [JSON.Member("hash", .string($0.hex))] } ?? []
        return .object(entry.members(id, isPublic: false) + hash)
    }
}

/// The end of the chain of audit entries: the newest entry, and the hash over it and all before it.
package struct AuditHead: Sendable, Equatable {
    /// The id of the newest entry; 0 for an empty log.
    package let id: Int64
    package let hash: SHA256Digest

    package init(id: Int64, hash: SHA256Digest) {
        self.id = id
        self.hash = hash
    }

    /// The head of an empty log.
    package static let empty = AuditHead(id: 0, hash: .zero)

    /// Returns the head after an entry whose details are in the order of a parsed object.
    package func appending(_ entry: AuditEntry, as id: Int64, by cryptography: any Cryptography) -> AuditHead {
        let bytes = JSON.object(entry.members(id, isPublic: false)).bytes()
        return AuditHead(id: id, hash: cryptography.sha256(hash.bytes + bytes))
    }

    package var json: JSON { .object(["id": .integer(id), "hash": .string(hash.hex)]) }
}
