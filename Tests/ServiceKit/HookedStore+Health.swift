package import Domain

extension HookedStore: HealthStore {
    package func defaultHealth(of app: AppID) async throws(PlatformError) -> HealthPolicy? {
        try await base.defaultHealth(of: app)
    }
    package func setDefaultHealth(
        _ policy: HealthPolicy?, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.setDefaultHealth(policy, of: app, audit: audit)
    }
    package func healthWatches(of releases: [ReleaseID]) async throws(PlatformError) -> [ReleaseID: HealthWatch] {
        try await base.healthWatches(of: releases)
    }
    package func healthStep(of release: ReleaseID) async throws(PlatformError) -> HealthStep? {
        try await base.healthStep(of: release)
    }
    package func setHealthWatch(
        _ watch: HealthWatch, of release: ReleaseID, audit: AuditEntry?
    ) async throws(PlatformError) {
        try await hooked(.setHealthWatch) { () throws(PlatformError) in
            try await base.setHealthWatch(watch, of: release, audit: audit)
        }
    }
}
