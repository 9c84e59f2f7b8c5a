import Foundation
import HTTPProbe
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
        for target in ["parser", "multipart", "router"] { #expect(Self.names(target).count > 5) }
    }

    @Test(arguments: names("parser")) func `a seed of the parser holds`(name: String) throws {
        #expect(ParserProbe.finding(in: try bytes("parser", name)) == nil)
    }

    @Test(arguments: names("multipart")) func `a seed of forms holds`(name: String) throws {
        #expect(MultipartProbe.finding(in: try bytes("multipart", name)) == nil)
    }

    @Test(arguments: names("router")) func `a seed of the router holds`(name: String) throws {
        #expect(RouterProbe.finding(in: try bytes("router", name)) == nil)
    }
}
