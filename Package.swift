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
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),

        // Inward rooms: values and rules.
        .target(name: "Domain", swiftSettings: safe),
        .target(name: "HTTP", swiftSettings: safe),
        .target(name: "Execution", swiftSettings: strict),

        // Adapters: zips, digests and keys.
        .target(
            name: "Artifacts", dependencies: ["COpenSSL", "CArchive", "CDeflate", "Domain"], swiftSettings: strict),

        .testTarget(name: "ArtifactsTests", dependencies: ["Artifacts", "CDeflate", "Domain"], swiftSettings: strict),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
