import Domain
import HTTP
import Platform

extension OperatorRoutes {
    /// Adds what is done to a release, or to a set of them, in one way: `PATCH` and a route for each action without a body.
    ///
    /// - Parameter act: Performs the action on the release or set that the path names; the flag is `force`.
    func addReleaseActions(
        at pattern: String, to router: inout Router<APIEndpoint>,
        _ act: @escaping @Sendable (ReleaseAction, Bool, Call) async throws(PlatformError) -> Response
    ) {
        add(.patch, pattern, .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            var body = try await call.json()
            let action = try Self.change(&body)
            let isForced = try body.bool("force") ?? false
            try body.finish()
            return try await act(action, isForced, call)
        }
        for action: ReleaseAction in [.pause, .resume, .halt, .complete] {
            add(
                .post, pattern + "/" + action.kind.rawValue, .releaser, to: &router, hasTag: true
            ) { call throws(PlatformError) in
                var body = try await call.json()
                let isForced = try body.bool("force") ?? false
                try body.finish()
                return try await act(action, isForced, call)
            }
        }
    }

    /// What a `PATCH` asks for.
    private static func change(_ body: inout JSONReader) throws(PlatformError) -> ReleaseAction {
        let percent = try body.percent("percent")
        let moment = try body.time("activeTime")
        switch (percent, moment) {
        case (let percent?, nil): return .widen(percent)
        case (nil, let moment?): return .reschedule(moment)
        default:
            throw PlatformError(
                .invalidRequest, "Give 'percent' to widen the release, or 'activeTime' to move it: one of the two.")
        }
    }

    /// Reads the versions without a patch for the response to a change; empty if they cannot be read.
    ///
    /// The change was made: an error would have the caller make it again.
    func gapsAfterChange(
        _ read: () async throws(PlatformError) -> [ReleaseID: [PatchGap]]
    ) async -> [ReleaseID: [PatchGap]] {
        do throws(PlatformError) { return try await read() } catch {
            services.log.write(
                "release.patches-unknown", ["code": error.code.rawValue, "cause": error.cause ?? error.message])
            return [:]
        }
    }
}
