// swift-tools-version: 6.3
import PackageDescription

/// The settings of all targets; libFuzzer brings `main`, which calls the function in each target's file.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-parse-as-library"]),
]

/// A separate package, since the flags of a fuzzer apply to a whole build; `scripts/fuzz` sets them.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "larder", path: "..")],
    targets: [
        ("FuzzParser", "HTTPProbe"), ("FuzzMultipart", "HTTPProbe"), ("FuzzRouter", "HTTPProbe"),
        ("FuzzZip", "ArtifactsProbe"), ("FuzzDelta", "ArtifactsProbe"),
    ].map { name, probe in
        .executableTarget(
            name: name, dependencies: [.product(name: probe, package: "larder")], swiftSettings: settings)
    },
    swiftLanguageModes: [.v6]
)
