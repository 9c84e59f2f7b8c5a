// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target is built with: the language's coming rules, and no warning let through.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// For targets that hold no unsafe code at all; those that wrap C or sockets use `strict` alone.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
    name: "larder",
    targets: [
        // C: module maps and shims only, each imported by one Swift target.
        .target(name: "CLinux"),

        // Inward rooms: values and rules.
        .target(name: "Domain", swiftSettings: safe),
        .target(name: "HTTP", swiftSettings: safe),
        .target(name: "Execution", swiftSettings: strict),

        // Use cases over the ports, and their face to the network.
        .target(name: "Platform", dependencies: ["Domain", "Execution"], swiftSettings: safe),

        // Outward rooms: sockets, files, databases.
        .target(name: "Server", dependencies: ["CLinux", "HTTP"], swiftSettings: strict),

        .testTarget(name: "HTTPTests", dependencies: ["HTTP"], swiftSettings: strict),
        .testTarget(name: "ServerTests", dependencies: ["HTTP", "Server"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
