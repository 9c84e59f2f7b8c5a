import Foundation
import Testing

/// A real front end in six consecutive versions, as fetched by `scripts/fetch-packages`.
struct RealPackage {
    let id: String
    let hasEntry: Bool
    let versions: [String]

    static let locust = RealPackage(
        id: "locust", hasEntry: true, versions: ["2.32.0", "2.32.1", "2.32.2", "2.32.3", "2.32.4", "2.32.8"])
    static let dash = RealPackage(
        id: "dash", hasEntry: false, versions: ["2.16.1", "2.17.0", "2.17.1", "2.18.0", "2.18.2", "3.0.0"])
    static let jupyterlab = RealPackage(
        id: "jupyterlab", hasEntry: true, versions: ["4.2.0", "4.2.1", "4.2.2", "4.2.3", "4.2.4", "4.2.5"])

    private static let root: String = {
        let environment = ProcessInfo.processInfo.environment
        let cache = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "")/.cache"
        return environment["LARDER_PACKAGES"] ?? "\(cache)/larder/packages"
    }()

    func folder(_ version: String) throws -> String {
        let path = "\(Self.root)/\(id)/\(version)"
        try #require(
            FileManager.default.fileExists(atPath: path), "There is no \(path): run 'make packages', which fetches it.")
        return path
    }

    /// The body of the package's `PUT`.
    var settings: String { hasEntry ? "{}" : "{\"entry\": null}" }
}
