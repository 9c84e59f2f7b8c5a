/// An operation of an operator that resolves an error; each interface names it in its own terms.
package enum Remedy: Sendable, Equatable {
    case listBuilds(of: AppID)
    case deleteBuild(of: AppID)
    case listPageGrants(of: AppID)
    case listCITrusts
    case createPageGrant(of: AppID)
    case listWebhooks(of: AppID)
    case listWaivers(of: PackageID, in: AppID)
    case listReleases(of: PackageID, in: AppID)
    case listReleaseSets(of: AppID)
    case change(ReleaseSetID, by: ReleaseAction.Kind, of: AppID)
    case declareChannel(ChannelName, of: AppID)
    case createPackage(PackageID, in: AppID)
    case unretire(VersionString, of: PackageID, in: AppID)
    case uploadDeviceList(DeviceListName, of: AppID)
    case createPreset
    case createUpload
}

extension Remedy: CustomStringConvertible {
    /// The operation in words, for logs.
    package var description: String {
        switch self {
        case .listBuilds(let app): "list the builds of '\(app)'"
        case .deleteBuild(let app): "delete a build of '\(app)'"
        case .listCITrusts: "list the CI trusts"
        case .listPageGrants(let app): "list the page grants of '\(app)'"
        case .createPageGrant(let app): "create a page grant of '\(app)'"
        case .listWebhooks(let app): "list the webhooks of '\(app)'"
        case .listWaivers(let package, let app): "list the waivers of '\(package)' in '\(app)'"
        case .listReleases(let package, let app): "list the releases of '\(package)' in '\(app)'"
        case .listReleaseSets(let app): "list the release sets of '\(app)'"
        case .change(let set, let action, let app): "\(action.rawValue) release set \(set) of '\(app)'"
        case .declareChannel(let channel, let app): "declare the channel '\(channel)' of '\(app)'"
        case .createPackage(let package, let app): "create the package '\(package)' in '\(app)'"
        case .unretire(let version, let package, let app): "unretire \(version) of '\(package)' in '\(app)'"
        case .uploadDeviceList(let list, let app): "upload the device list '\(list)' of '\(app)'"
        case .createPreset: "create a preset"
        case .createUpload: "create an upload"
        }
    }
}
