import ArtifactsProbe
import Foundation
import Testing

/// Runs the fuzz targets on their seeds and on all earlier findings.
struct ProbeTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Fuzz/Corpus")

    private static func names(_ target: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: corpus.appending(path: target).path)) ?? []).sorted()
    }

    private func bytes(_ target: String, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Self.corpus.appending(path: "\(target)/\(name)")))
    }

    @Test func `there are seeds for each target`() {
        for target in ["zip", "delta"] { #expect(Self.names(target).count > 5) }
    }

    @Test(arguments: names("zip")) func `a seed of zips holds`(name: String) throws {
        #expect(ZipProbe.finding(in: try bytes("zip", name)) == nil)
    }

    @Test(arguments: names("delta")) func `a seed of delta patches holds`(name: String) throws {
        #expect(DeltaProbe.finding(in: try bytes("delta", name)) == nil)
    }
}
