/// What `/config` says of a package, as far as these tests read it.
struct ConfigEntry: Decodable {
    let version: String?
    let enable: Bool
    let url: String?
    let sha256: String?
    let size: Int?
    let entry: String?
    let incrementalPackages: [String: Incremental]?
    let patches: [Patch]?
    let next: Next?

    struct Incremental: Decodable {
        let url: String
        let signature: String
    }

    struct Patch: Decodable {
        let from: String
        let url: String
        let sha256: String
        let size: Int
    }

    struct Next: Decodable {
        let version: String
        let activeTime: String
        let url: String
    }

    /// Every archive that it names, by digest.
    var archives: [String: String] {
        var archives: [String: String] = [:]
        if let sha256, let url { archives[sha256] = url }
        for patch in patches ?? [] { archives[patch.sha256] = patch.url }
        return archives
    }
}
