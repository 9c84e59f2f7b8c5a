package import Domain

extension Catalogue {
    /// Remembers which native APIs a build of the host app has; `false` where it was known already.
    ///
    /// Throws `conflict` where there are too many builds.
    package func putBuild(
        _ build: HostBuild, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.change(app) { () throws(PlatformError) in
            try await live.store.putBuild(
                build, of: app.id,
                audit: author.audit(
                    "build.put", build.appVersion, in: app.id, at: clock.now(),
                    [.init("apis", .integer(Int64(build.apis.count)))]))
        }
    }
}
