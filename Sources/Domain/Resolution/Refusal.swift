package import Ground

/// The first rule that rejects a device, with the required and the actual value.
package enum Refusal: Sendable, Hashable {
    /// The activeTime lies ahead.
    case notYet(Timestamp)
    /// The release is halted, and the device does not have it.
    case halted
    /// The release was halted before its activeTime, so no device may get it.
    case neverBegan
    case excluded(DeviceListName)
    /// Some devices are excluded, and this one sends no id.
    case unknownDevice(DeviceListName)
    /// The device is not on the list, and its position, if it has one, is not within the percentage.
    case percentage(BasisPoints, position: Int?, whitelist: DeviceListName?)
    case rule(AudienceRule, has: String?)
    case appVersion(VersionRange, has: String?)
    /// The host build lacks native APIs; the build is `nil` if it is unknown.
    case apis([String], build: String?, isKnown: Bool)
    case floor(Floor, has: VersionString?)
    case dependency(VersionRequirements.Dependency, offered: VersionString?)
    /// The files of the version are not stored.
    case noFiles
    /// The package is not enabled, and the device does not use the version.
    case disabled
    /// A set is offered as a whole, and the device does not get this version of another package.
    indirect case set(ReleaseSetID, lacking: PackageID, VersionString, because: Refusal)
}

extension Refusal {
    /// The stable names of the reasons, by which programs and translations tell them apart.
    package enum Code: String, Sendable, CaseIterable {
        case notYet = "not-yet"
        case halted
        case neverBegan = "never-began"
        case excluded
        case deviceIDMissing = "device-id-missing"
        case percentage
        case rule
        case appVersion = "app-version"
        case apis
        case floor
        case dependency
        case noFiles = "no-files"
        case disabled
        case set
    }

    package var code: Code {
        switch self {
        case .notYet: .notYet
        case .halted: .halted
        case .neverBegan: .neverBegan
        case .excluded: .excluded
        case .unknownDevice: .deviceIDMissing
        case .percentage: .percentage
        case .rule: .rule
        case .appVersion: .appVersion
        case .apis: .apis
        case .floor: .floor
        case .dependency: .dependency
        case .noFiles: .noFiles
        case .disabled: .disabled
        case .set: .set
        }
    }

    /// A copy without the facts of the device.
    package var ofAnyDevice: Refusal {
        switch self {
        case .notYet, .halted, .neverBegan, .excluded, .unknownDevice, .noFiles, .disabled: self
        case .percentage(let percent, _, let whitelist): .percentage(percent, position: nil, whitelist: whitelist)
        case .rule(let rule, _): .rule(rule, has: nil)
        case .appVersion(let range, _): .appVersion(range, has: nil)
        case .apis: .apis([], build: nil, isKnown: false)
        case .floor(let floor, _): .floor(floor, has: nil)
        case .dependency(let needed, _): .dependency(needed, offered: nil)
        case .set(let set, let package, let version, let refusal):
            .set(set, lacking: package, version, because: refusal.ofAnyDevice)
        }
    }

    /// The requirement on every device, in words.
    package var rule: String {
        switch self {
        case .notYet, .halted, .neverBegan, .excluded, .unknownDevice, .noFiles, .disabled: description
        case .percentage(let percent, _, let whitelist):
            (whitelist.map { "the list '\($0)' or " } ?? "") + "the percentage, \(percent.percent) %"
        case .rule(let rule, _): "the rule '\(rule)'"
        case .appVersion(let range, _): "the version needs appVersion \(range)"
        case .apis: "the version needs native APIs"
        case .floor(let floor, _): "devices below \(floor.version) go through it first (\(floor.reason))"
        case .dependency(let needed, _): "the version needs \(needed.package) \(needed.range)"
        case .set(_, let package, let version, let refusal): "of \(package) \(version) in its set, \(refusal.rule)"
        }
    }
}

extension Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notYet(let moment): "its activeTime \(moment) has not come"
        case .halted: "it is halted, and the device does not say that it has this version"
        case .neverBegan: "it was halted before its moment"
        case .excluded(let list): "the device is on the list of the excluded '\(list)'"
        case .unknownDevice(let list):
            "devices on the list '\(list)' are excluded: the device did not send its deviceId"
        case .percentage(let percent, let position, let whitelist): Self.share(percent, position, whitelist)
        case .rule(let rule, let has): "the rule '\(rule)' is not met: the device \(Self.described(has))"
        case .appVersion(let range, let has): "the version needs appVersion \(range): the device \(Self.described(has))"
        case .apis(let apis, let build, let isKnown): Self.lack(of: apis, build, isKnown)
        case .floor(let floor, let has):
            "devices below \(floor.version) go through it first (\(floor.reason)): the device "
                + (has.map { "has \($0)" } ?? "does not say what it has")
        case .dependency(let needed, let offered):
            "the version needs \(needed.package) \(needed.range): the device "
                + (offered.map { "gets \($0)" } ?? "gets none of it")
        case .noFiles: "the files of the version were removed"
        case .disabled: "the package is turned off, and the device does not say that it has the version in use"
        case .set(let set, let package, let version, let refusal):
            "release set \(set) comes whole or not at all, and the device does not get \(package) \(version): \(refusal)"
        }
    }

    private static func described(_ value: String?) -> String { value.map { "has '\($0)'" } ?? "did not send it" }

    private static func share(_ percent: BasisPoints, _ position: Int?, _ whitelist: DeviceListName?) -> String {
        let list = whitelist.map { "it is not on the list '\($0)', and " } ?? ""
        guard percent > .none else { return list + "it is at 0 %" }
        guard let position else {
            return list + "it is at \(percent.percent) %: the device sent neither deviceId nor bucket"
        }
        return list
            + "it is at \(percent.percent) %, the positions below \(percent.value) in the release's order of devices"
            + ": the device's is \(position)"
    }

    private static func lack(of apis: [String], _ build: String?, _ isKnown: Bool) -> String {
        let names = apis.joined(separator: ", ")
        guard let build else {
            return "the version needs the native APIs \(names): the device did not send its appVersion"
        }
        return isKnown
            ? "the build \(build) lacks the native APIs \(names)"
            : "the version needs the native APIs \(names): no build \(build) was registered"
    }
}
