package import Domain

/// The audit log as admins read it: in pages, or as a whole.
package struct AuditLog: Sendable {
    /// The numbers of entries that a page may have.
    package static let pageSizes = 1...1_000
    /// The number of entries of a page whose size is not given.
    package static let page = 200
    /// The number of entries that an export reads at a time.
    package static let exportPage = 500

    private let store: any AuditStore

    package init(store: any AuditStore) {
        self.store = store
    }

    /// Returns the newest matching entries before an id, and whether older ones match as well.
    package func page(
        _ filter: AuditFilter, before id: Int64?, limit: Int
    ) async throws(PlatformError) -> (entries: [RecordedAuditEntry], hasMore: Bool) {
        let entries = try await store.audit(filter, in: AuditRange(before: id), limit: limit + 1)
        return (Array(entries.prefix(limit)), entries.count > limit)
    }

    /// Returns the first matching entries after an id and before another one, oldest first; empty at the end.
    package func exportPage(
        _ filter: AuditFilter, after id: Int64, before end: Int64
    ) async throws(PlatformError) -> [RecordedAuditEntry] {
        try await store.audit(
            filter, in: AuditRange(after: id, before: end, isNewestFirst: false), limit: Self.exportPage)
    }

    /// Returns the end of the log.
    package func head() async throws(PlatformError) -> AuditHead { try await store.auditHead() }

    /// Returns the newest entries of an app before an id that each viewer of the app may read, and whether older ones match
    /// as well.
    ///
    /// - Parameter actions: The actions to read; `nil` for all. Those that only admins may read are left out.
    package func history(
        of app: AppID, package: PackageID?, actions: [AuditAction]?, before id: Int64?, limit: Int
    ) async throws(PlatformError) -> (entries: [RecordedAuditEntry], hasMore: Bool) {
        let visible = (actions ?? AuditAction.allCases).filter { !$0.isForAdmins }
        return try await page(AuditFilter(actions: visible, app: app, package: package), before: id, limit: limit)
    }
}

extension AuditAction {
    /// Whether only admins of the app may read the entries of this action: those of keys and tokens.
    var isForAdmins: Bool {
        switch self {
        case .makeKey, .importKey, .exportKey, .retireKey, .createToken, .changeToken, .rotateToken, .revokeToken,
            .exchangeToken, .putCITrust, .deleteCITrust, .putSignInProvider, .deleteSignInProvider:
            true
        default: false
        }
    }
}

extension AuditEntry {
    /// Whether only admins of the app may read the entry: by its action, or because this version does not know the action.
    var isForAdmins: Bool { AuditAction(rawValue: action)?.isForAdmins ?? true }
}
