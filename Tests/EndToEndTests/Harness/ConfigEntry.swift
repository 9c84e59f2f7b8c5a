/// The members of a package's entry in `/config` that these tests use.
struct ConfigEntry: Decodable {
    let version: String?
    let enable: Bool
    let url: String?
    let sha256: String?
    let size: Int?
    let entry: String?
    let fallbackUrl: String?
    let incrementalPackages: [String: Incremental]?
    let patches: [Patch]?
    let next: Next?

    struct Incremental: Decodable {
        let url: String
        let signature: String
    }

    struct Patch: Decodable {
        let kind: String
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

    func patch(_ kind: String, from version: String) -> Patch? {
        patches?.first { $0.kind == kind && $0.from == version }
    }

    /// The URLs of all archives and patches, by digest.
    var archives: [String: String] {
        var archives: [String: String] = [:]
        if let sha256, let url { archives[sha256] = url }
        for patch in patches ?? [] { archives[patch.sha256] = patch.url }
        return archives
    }
}
