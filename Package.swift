// swift-tools-version: 6.3
import PackageDescription

/// The settings of all Swift targets: upcoming features of the language, and warnings as errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// Debug builds are optimized as well, since the tests spend most of their time there; not under ThreadSanitizer, which
/// reports races in optimized code that are none (decision 0061).
let optimized: [SwiftSetting] =
    Context.environment["LARDER_UNOPTIMIZED"] == nil ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []

/// For targets that mark every use of unsafe code.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()] + optimized

let package = Package(
    name: "larder",
    products: [
        .executable(name: "larder", targets: ["larder"]),
        // Not shipped: what the fuzz targets of Fuzz/ call.
        .library(name: "HTTPProbe", targets: ["HTTPProbe"]),
        .library(name: "ArtifactsProbe", targets: ["ArtifactsProbe"]),
    ],
    targets: [
        // C: module maps and shims only; no C type leaves the folder of Swift that imports one.
        .target(name: "CLinux"),
        .target(name: "CEmbedded", cSettings: [.unsafeFlags(["-std=c2x"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CTLS", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Inner targets: values and rules; files, and threads for blocking work.
        .target(name: "Ground", swiftSettings: safe),
        .target(name: "Domain", dependencies: ["Ground"], swiftSettings: safe),
        .target(name: "Linting", dependencies: ["Domain", "Ground"], swiftSettings: safe),
        .target(name: "HTTP", dependencies: ["Ground"], swiftSettings: safe),
        .target(name: "Files", dependencies: ["CLinux"], swiftSettings: strict + optimized),
        .target(name: "Execution", dependencies: ["CLinux"], swiftSettings: strict + optimized),

        // Outgoing HTTP, for the client and for the store.
        .target(name: "Transport", dependencies: ["CCurl", "Files", "Ground", "HTTP"], swiftSettings: strict),

        // Adapters: sockets, files, databases, zips.
        .target(name: "TLS", dependencies: ["CTLS"], swiftSettings: strict),
        .target(name: "Server", dependencies: ["CLinux", "Execution", "Ground", "HTTP", "TLS"], swiftSettings: strict),
        .target(
            name: "Store",
            dependencies: [
                "CSQLite", "CPostgres", "CEmbedded", "Domain", "Execution", "Files", "Ground", "HTTP", "Transport",
            ],
            swiftSettings: strict + optimized),
        .target(
            name: "Artifacts",
            dependencies: [
                "COpenSSL", "CArchive", "CBrotli", "CDeflate", "CZlib", "CZstd", "Domain", "Execution", "Files",
                "Ground",
            ],
            swiftSettings: strict + optimized),

        // Use cases, and the HTTP API over them.
        .target(name: "Platform", dependencies: ["Domain", "Execution", "Ground", "Linting"], swiftSettings: safe),
        .target(name: "API", dependencies: ["Domain", "Execution", "Ground", "HTTP", "Platform"], swiftSettings: safe),

        // The client protocols besides `/config`: a folder for each.
        .target(
            name: "Dialects", dependencies: ["API", "Domain", "Execution", "Ground", "HTTP", "Platform"],
            swiftSettings: safe),

        // The one place where ports meet their implementations; the program and the tests use it.
        .target(
            name: "Wiring",
            dependencies: [
                "API", "Artifacts", "CEmbedded", "Dialects", "Domain", "Execution", "HTTP", "Platform", "Store",
                "Transport",
            ],
            swiftSettings: strict + optimized),

        // The app's side: what keeps a device's packages, and what publishes.
        .target(
            name: "Client",
            dependencies: [
                "Artifacts", "CLinux", "Domain", "Execution", "Files", "Ground", "HTTP", "Linting", "Transport",
            ],
            swiftSettings: strict),

        // The program: the only shipped target that imports the API, the client and all adapters.
        .executableTarget(
            name: "larder",
            dependencies: [
                "API", "Artifacts", "CLinux", "Client", "Dialects", "Domain", "Execution", "Ground", "HTTP", "Platform",
                "Server", "Store", "TLS", "Transport", "Wiring",
            ],
            swiftSettings: strict),

        // Not shipped: what tests of several targets use, and a library that only tests need.
        .target(
            name: "TestKit", dependencies: ["CTLS", "Domain", "Ground", "HTTP", "TLS"], path: "Tests/TestKit",
            swiftSettings: strict + optimized),

        .target(
            name: "WorldKit", dependencies: ["Artifacts", "Domain", "Ground"], path: "Tests/WorldKit",
            swiftSettings: strict + optimized),

        .target(
            name: "ServiceKit",
            dependencies: [
                "API", "Artifacts", "Dialects", "Domain", "Execution", "Ground", "HTTP", "Platform", "Store", "TestKit",
                "Wiring",
            ],
            path: "Tests/ServiceKit", swiftSettings: strict + optimized),

        .systemLibrary(
            name: "CBrotliDecoder", path: "Tests/CBrotliDecoder", pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"])]),

        // Not shipped: what holds of every input of the parsers and readers, for tests and for fuzz targets.
        .target(name: "HTTPProbe", dependencies: ["HTTP"], path: "Tests/HTTPProbe", swiftSettings: safe),
        .target(
            name: "ArtifactsProbe", dependencies: ["Artifacts", "Domain", "Ground"], path: "Tests/ArtifactsProbe",
            swiftSettings: strict),

        .testTarget(name: "GroundTests", dependencies: ["Ground"], swiftSettings: strict),
        .testTarget(
            name: "DomainTests", dependencies: ["Artifacts", "Domain", "Ground", "TestKit", "WorldKit"],
            swiftSettings: strict),
        .testTarget(
            name: "LintingTests", dependencies: ["Artifacts", "Domain", "Ground", "Linting", "TestKit"],
            swiftSettings: strict),
        .testTarget(
            name: "PlatformTests",
            dependencies: [
                "Artifacts", "Dialects", "Domain", "Execution", "Ground", "HTTP", "Platform", "ServiceKit", "Store",
                "TestKit", "Transport", "Wiring",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "APITests",
            dependencies: [
                "API", "Artifacts", "Dialects", "Domain", "Ground", "HTTP", "Platform", "ServiceKit", "Store",
                "TestKit",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DialectsTests",
            dependencies: ["ArtifactsProbe", "Dialects", "Domain", "Ground", "Platform", "ServiceKit", "TestKit"],
            swiftSettings: strict),
        .testTarget(name: "FilesTests", dependencies: ["Files", "TestKit"], swiftSettings: strict),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "HTTPProbe"], swiftSettings: strict),
        .testTarget(
            name: "ServerTests", dependencies: ["HTTP", "Server", "TLS", "TestKit"], swiftSettings: strict),
        .testTarget(name: "TLSTests", dependencies: ["TLS", "TestKit"], swiftSettings: strict),
        .testTarget(
            name: "ArtifactsTests",
            dependencies: ["Artifacts", "ArtifactsProbe", "CBrotliDecoder", "CDeflate", "Domain", "Ground", "TestKit"],
            swiftSettings: strict),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "Artifacts", "Client", "Domain", "Files", "Ground", "HTTP", "TLS", "TestKit", "Transport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Artifacts", "CEmbedded", "Domain", "Execution", "Files", "Ground", "HTTP", "Store", "TestKit",
                "Transport", "WorldKit",
            ],
            swiftSettings: strict),
        // The program is named so that it is built: these tests run it and import none of its own target.
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["Artifacts", "Client", "Ground", "TLS", "TestKit", "Transport", "larder"],
            exclude: ["moved-clock.c", "moved-name.c"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
