// swift-tools-version: 6.3
import PackageDescription

/// libFuzzer brings `main`; what it calls is in the file of each target.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-parse-as-library"]),
]

/// A package of its own, since the flags of a fuzzer are those of a whole build; `scripts/fuzz` has them.
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
