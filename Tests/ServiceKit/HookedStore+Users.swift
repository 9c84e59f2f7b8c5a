package import Domain
package import Ground

extension HookedStore: UserStore {
    package func users() async throws(PlatformError) -> [User] { try await base.users() }
    package func user(_ name: UserName) async throws(PlatformError) -> User? { try await base.user(name) }
    package func createUser(
        _ name: UserName, grants: [Grant], password: PasswordHash, audit: AuditEntry
    ) async throws(PlatformError) -> User {
        try await base.createUser(name, grants: grants, password: password, audit: audit)
    }
    package func changeUser(
        _ id: UserID, _ change: UserChange, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> User? {
        try await base.changeUser(id, change, ifMatch: precondition, audit: audit)
    }
    package func deleteUser(
        _ id: UserID, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> User? {
        try await base.deleteUser(id, ifMatch: precondition, audit: audit)
    }
    package func secrets(of name: UserName) async throws(PlatformError) -> (user: User, secrets: UserSecrets)? {
        try await base.secrets(of: name)
    }
    package func changeSecondFactor(
        of id: UserID, verified: PasswordHash?, audit: AuditEntry,
        by change: @Sendable (SecondFactor?) throws(PlatformError) -> SecondFactor?
    ) async throws(PlatformError) {
        try await base.changeSecondFactor(of: id, verified: verified, audit: audit, by: change)
    }
    package func beginSession(
        of id: UserID, secretHash: SHA256Digest, address: String, verified: PasswordHash, upgraded: PasswordHash?,
        audit: AuditEntry, using use: @Sendable (inout SecondFactor) throws(PlatformError) -> Void
    ) async throws(PlatformError) -> Session? {
        try await base.beginSession(
            of: id, secretHash: secretHash, address: address, verified: verified, upgraded: upgraded, audit: audit,
            using: use)
    }
    package func beginSession(
        agreedBy agreed: Int64, of id: UserID, to request: CommandLineRequest, audit: AuditEntry
    ) async throws(PlatformError) -> Session? {
        try await base.beginSession(agreedBy: agreed, of: id, to: request, audit: audit)
    }
    package func addCommandLineRequest(_ request: CommandLineRequest) async throws(PlatformError) {
        try await base.addCommandLineRequest(request)
    }
    package func commandLineRequest(
        _ code: CommandLineCode, at now: Timestamp
    ) async throws(PlatformError) -> CommandLineRequest? {
        try await base.commandLineRequest(code, at: now)
    }
    package func commandLineRequest(
        secretHash: SHA256Digest, at now: Timestamp
    ) async throws(PlatformError) -> CommandLineRequest? {
        try await base.commandLineRequest(secretHash: secretHash, at: now)
    }
    package func refuseCommandLineRequest(
        _ code: CommandLineCode, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.refuseCommandLineRequest(code, audit: audit)
    }
    package func session(
        secretHash: SHA256Digest
    ) async throws(PlatformError) -> (session: Session, user: User)? {
        try await base.session(secretHash: secretHash)
    }
    package func sessions(of user: UserID?) async throws(PlatformError) -> [Session] {
        try await base.sessions(of: user)
    }
    package func sessions(_ ids: [Int64]) async throws(PlatformError) -> [(session: Session, user: User)] {
        try await base.sessions(ids)
    }
    package func endSession(_ id: Int64, audit: AuditEntry) async throws(PlatformError) -> Bool {
        try await base.endSession(id, audit: audit)
    }
    package func recordSessionUses(_ uses: [Int64: Timestamp]) async throws(PlatformError) {
        try await base.recordSessionUses(uses)
    }
}
