import Domain

/// The reason why a delta patch cannot be applied.
enum DeltaRefusal: String {
    case notADelta = "not-a-delta"
    case unknownVersion = "delta-version"
    case truncated = "delta-truncated"
    case badManifest = "delta-manifest"
    case badReference = "delta-reference"
    case badHashMap = "delta-hash-map"
    case badFrame = "delta-frame"
    case tooLarge = "too-large"
    case otherBase = "delta-base"

    var error: PlatformError {
        PlatformError(.badPackage, "The patch cannot be applied: \(clause).", reason: rawValue)
    }

    private var clause: String {
        switch self {
        case .notADelta: "it is not a delta patch"
        case .unknownVersion: "its format version is not supported"
        case .truncated: "it is shorter or longer than it states"
        case .badManifest: "its manifest is damaged"
        case .badReference: "it names files that the base does not have, or a file twice"
        case .badHashMap: "its hash tokens contradict each other"
        case .badFrame: "a part of it is damaged, or was made for another base"
        case .tooLarge: "its output exceeds the limit"
        case .otherBase: "it was made for another base"
        }
    }
}
