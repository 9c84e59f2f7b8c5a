import Domain

extension StoreExaminer {
    /// Computes the chain of all audit entries, and reports the first one that differs, and a cut end.
    func checkAudit(_ database: Database, _ examination: inout Examination) throws {
        guard let start = try database.auditStart() else {
            examination.notes.append("The audit log has no chain yet. The next start of the server begins it.")
            return
        }
        var head = AuditHead.empty
        var isStartChecked = false
        var wrong: String?
        /// Compares the hash through the entries that have none of their own, once all of them are read.
        func checkStart() {
            guard !isStartChecked else { return }
            isStartChecked = true
            guard head != start else { return }
            wrong =
                "An entry up to \(start.id), before the first one with a hash, was changed, removed or inserted."
        }
        try database.eachAuditEntry { recorded in
            guard wrong == nil else { return }
            if recorded.id > start.id { checkStart() }
            guard wrong == nil else { return }
            let previous = head
            head = head.appending(recorded.entry, as: recorded.id, by: cryptography)
            guard recorded.id > start.id, recorded.hash != head.hash else { return }
            wrong =
                "Entry \(recorded.id) does not match its hash: it was changed or inserted, or entries between "
                + "\(previous.id) and it were removed."
        }
        checkStart()
        let last: Int64? = try database.value(database.dialect.lastNumber(of: "audit"))
        if wrong == nil, let last, last > head.id {
            wrong = "The entries after \(head.id) are missing: the newest one was \(last)."
        }
        if let wrong {
            examination.add(
                .auditAltered, "audit",
                "\(wrong) Compare with a log of audit.head, or with a backup (docs/formats/audit-chain.md).")
        }
    }
}
