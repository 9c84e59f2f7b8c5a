import Ground

/// An upload's own `larder.json`: settings that apply to its version only.
package struct UploadSettings: Sendable, Equatable {
    /// The resource settings, which override the package's; `nil` if the file has none.
    package let resources: ResourceSettings?

    /// The limit on the bytes of the file.
    package static let maximumBytes = 256 << 10

    /// Throws `badPackage` unless the bytes are a JSON object of known settings.
    package init(_ bytes: [UInt8]) throws(PlatformError) {
        guard let members = JSON(parsing: bytes)?.members else {
            throw Self.refused("It is not a JSON object. Correct it, or leave it out.")
        }
        if let unknown = members.first(where: { $0.key != "resources" }) {
            throw Self.refused(
                "It has the unknown member '\(ShownText.of(unknown.key.utf8))'. Known members: resources.")
        }
        do throws(ResourceSettings.Fault) {
            resources = try members.first.map { member throws(ResourceSettings.Fault) in
                try ResourceSettings(member.value)
            }
        } catch {
            throw Self.refused(error.message)
        }
    }

    private static func refused(_ message: String) -> PlatformError {
        PlatformError(
            .badPackage, "\(TreePath.ownSettings) at the root has invalid settings. \(message)",
            entry: TreePath.ownSettings.text, reason: "settings-invalid")
    }
}
