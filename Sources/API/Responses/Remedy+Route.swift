import Domain

extension Remedy {
    /// The operation as a request to the operators' API; the only such table.
    var route: String {
        switch self {
        case .listBuilds(let app): "GET \(Self.path(app))/builds"
        case .deleteBuild(let app): "DELETE \(Self.path(app))/builds/{appVersion}"
        case .listCITrusts: "GET \(OperatorRoutes.root)/ci-trusts"
        case .listPageGrants(let app): "GET \(Self.path(app))/page-grants"
        case .createPageGrant(let app): "PUT \(Self.path(app))/page-grants/{grant}"
        case .listWebhooks(let app): "GET \(Self.path(app))/webhooks"
        case .listWaivers(let package, let app): "GET \(Self.path(app))/packages/\(package)/waivers"
        case .listReleases(let package, let app): "GET \(Self.path(app))/packages/\(package)/releases"
        case .listReleaseSets(let app): "GET \(Self.path(app))/release-sets"
        case .change(let set, .widen, let app), .change(let set, .reschedule, let app):
            "PATCH \(Self.path(app))/release-sets/\(set)"
        case .change(let set, let action, let app): "POST \(Self.path(app))/release-sets/\(set)/\(action.rawValue)"
        case .declareChannel(let channel, let app): "PUT \(Self.path(app))/channels/\(channel)"
        case .createPackage(let package, let app): "PUT \(Self.path(app))/packages/\(package)"
        case .unretire(let version, let package, let app):
            "POST \(Self.path(app))/packages/\(package)/versions/\(version)/unretire"
        case .uploadDeviceList(let list, let app): "PUT \(Self.path(app))/device-lists/\(list)"
        case .createPreset: "POST …/presets"
        case .createUpload: "POST /api/v1/uploads"
        }
    }

    private static func path(_ app: AppID) -> String { "/api/v1/apps/\(app)" }
}
