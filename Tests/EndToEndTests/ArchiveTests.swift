import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests that the programs of clients read the archives in `/config`, and that archives are reproducible.
    @Suite struct ArchiveTests {
        @Test func `every archive is read by every reader, and another server makes the same bytes`() throws {
            let folders = try (1...3).map { try Self.folder($0) }
            let archives = try ["one", "other"].map { name in
                let server = try Server(data: "\(ScratchDirectory.path)/\(name)")
                try server.putPackage("news")
                for (number, folder) in zip(1..., folders) {
                    try server.mustPublish(folder, as: "news", "\(number)")
                    try server.release("\(number)", of: "news")
                }
                return try Self.download(try #require(try server.config()["news"]), from: server, to: name)
            }
            #expect(archives[0].count == 3, "one full archive and two patches")
            #expect(archives[0].keys == archives[1].keys)
            for (digest, path) in archives[0] {
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count > 0)
                #expect(try Program.succeed(["sha256sum", path]).hasPrefix(digest))
                for reader in Reader.installed { try reader.read(path) }
            }
            #expect(Reader.installed.count >= 3, "unzip, bsdtar and Python are the least")
        }

        /// Creates a folder of files that are difficult for packers and readers.
        private static func folder(_ number: Int) throws -> String {
            var files: [String: Data] = [
                "empty.txt": Data(),
                "one.txt": Data("\(number)".utf8),
                // Otherwise both patches would be equal.
                "two.txt": Data("\(number > 1)".utf8),
                "图片/标志 \(number).svg": Data("<svg/>".utf8),
                "same/é.js": Data("é".utf8),
                "deep/" + Array(repeating: "folder", count: 20).joined(separator: "/") + "/a.css": Data("a{}".utf8),
                "noise.bin": SamplePackage.noise(300_000, seed: UInt64(number)),
                "text.js": Data(String(repeating: "let answer = \(number);\n", count: 20_000).utf8),
            ]
            for file in 0..<150 { files["chunks/\(file).js"] = Data("export default \(file % 7 * number)".utf8) }
            return try SamplePackage.folder("page-\(number)", files)
        }

        private static func download(
            _ entry: ConfigEntry, from server: Server, to name: String
        ) throws -> [String: String] {
            var paths: [String: String] = [:]
            for (digest, url) in entry.archives {
                let response = try server.get(String(url.dropFirst(server.base.count)))
                try #require(response.status == 200)
                paths[digest] = "\(ScratchDirectory.path)/\(name)-\(digest).zip"
                try Data(response.body).write(
                    to: URL(fileURLWithPath: "\(ScratchDirectory.path)/\(name)-\(digest).zip"))
            }
            return paths
        }
    }
}

/// A program that detects a fault in a zip.
private enum Reader: String, CaseIterable {
    case unzip, bsdtar, python3, java, miniunzip

    static let installed = allCases.filter { Program.isInstalled($0 == .java ? "javac" : $0.rawValue) }

    func read(_ zip: String) throws {
        switch self {
        case .unzip: try Program.succeed(["unzip", "-tq", zip])
        case .bsdtar: try Program.succeed(["bsdtar", "-tf", zip])
        case .python3: try Program.succeed(["python3", "-m", "zipfile", "-t", zip])
        case .miniunzip:
            let folder = "\(zip)-unpacked"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Program.succeed(["miniunzip", "-x", "-o", zip, "-d", folder])
        case .java:
            let program = "\(ScratchDirectory.path)/ReadZip.java"
            try Data(Self.javaProgram.utf8).write(to: URL(fileURLWithPath: program))
            try Program.succeed(["java", program, zip])
        }
    }

    private static let javaProgram = """
        import java.io.*;
        import java.util.zip.*;

        class ReadZip {
            public static void main(String[] arguments) throws Exception {
                int entries = 0;
                try (ZipInputStream zip = new ZipInputStream(new FileInputStream(arguments[0]))) {
                    for (; zip.getNextEntry() != null; entries++) zip.transferTo(OutputStream.nullOutputStream());
                }
                if (entries == 0) throw new IOException("no entries");
            }
        }
        """
}
