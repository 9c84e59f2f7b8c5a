package import Domain

extension SQLStore {
    package func waivers(of package: PackageID, in app: AppID) throws(PlatformError) -> [LintWaiver] {
        try transaction { database in
            try database.rows(
                """
                SELECT \(LintWaiver.columns) FROM lint_waivers
                WHERE package = \(try database.packageNumber(package, in: app)) ORDER BY code, path
                """
            ) { try LintWaiver($0) }
        }
    }

    package func putWaiver(
        _ waiver: LintWaiver, of package: PackageID, in app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let number = try database.requirePackage(package, in: app)
            let path = LintWaiver.column(waiver.path)
            let known: String? = try database.value(
                """
                SELECT reason FROM lint_waivers
                WHERE package = \(number) AND code = \(waiver.code.rawValue) AND path = \(path)
                """)
            // The audit log only grows, so an unchanged waiver adds no entry.
            if known == waiver.reason { return false }
            let changed = try database.execute(
                """
                UPDATE lint_waivers SET reason = \(waiver.reason), actor = \(waiver.actor), time = \(waiver.time)
                WHERE package = \(number) AND code = \(waiver.code.rawValue) AND path = \(path)
                """)
            if changed == 0 {
                try database.requireRoomForWaiver(in: number, named: package)
                try database.execute(
                    """
                    INSERT INTO lint_waivers (package, code, path, reason, actor, time)
                    VALUES (
                        \(number), \(waiver.code.rawValue), \(path), \(waiver.reason), \(waiver.actor), \(waiver.time)
                    )
                    """)
            }
            try database.append(audit)
            return changed == 0
        }
    }

    package func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: PackageID, in app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> LintWaiver? {
        try transaction { database in
            let number = try database.requirePackage(package, in: app)
            let removed = try database.row(
                """
                DELETE FROM lint_waivers
                WHERE package = \(number) AND code = \(code.rawValue) AND path = \(LintWaiver.column(path))
                RETURNING \(LintWaiver.columns)
                """
            ) { try LintWaiver($0) }
            if removed != nil { try database.append(audit) }
            return removed
        }
    }
}

extension Database {
    fileprivate func requirePackage(_ package: PackageID, in app: AppID) throws -> Int64 {
        guard let number = try packageNumber(package, in: app) else {
            throw PlatformError(.packageNotFound, "There is no package \(package) in \(app).")
        }
        return number
    }

    fileprivate func requireRoomForWaiver(in package: Int64, named name: PackageID) throws {
        let count: Int? = try value("SELECT count(*) FROM lint_waivers WHERE package = \(package)")
        guard count ?? 0 < LintWaiver.maximumPerPackage else {
            throw PlatformError(
                .conflict,
                "'\(name)' has \(LintWaiver.maximumPerPackage) waivers already. Remove one, or waive a code for every "
                    + "path.")
        }
    }
}

extension LintWaiver {
    fileprivate static let columns: SQL = "code, path, reason, actor, time"

    /// Returns the text of the column `path`.
    ///
    /// The empty text means all paths, since a unique key allows several `NULL`s.
    fileprivate static func column(_ path: TreePath?) -> String { path?.text ?? "" }

    fileprivate init(_ row: borrowing Row) throws {
        let word: String = try row[0]
        guard let code = LintFinding.Code(rawValue: word) else { throw row.unreadable(0) }
        let path: String = try row[1]
        self.init(
            code: code, path: path.isEmpty ? nil : try row[1], reason: try row[2], actor: try row[3],
            time: try row[4])
    }
}
