import Artifacts
import ArtifactsProbe
import Domain
import Foundation
import Testing

/// A program that reads zips like clients of Larder; its result is the SHA-256 of each file by path.
enum ArchiveReader: String, CaseIterable, CustomTestStringConvertible {
    case unzip, bsdtar, python3, java, miniunzip

    var testDescription: String { rawValue }

    /// Whether the program is installed; Java needs its compiler for a program of one file.
    var isInstalled: Bool { Tool.isInstalled(self == .java ? "javac" : rawValue) }

    struct Failure: Error {
        let text: String
    }

    /// Reads `zip` in a folder; throws if the program reports an error.
    func files(of zip: String, in folder: ScratchFolder) throws -> [String: String] {
        let output = "out-\(rawValue)"
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(output)", withIntermediateDirectories: true)
        switch self {
        case .unzip:
            try run(["unzip", "-tq", zip], in: folder)
            try run(["env", "LC_ALL=C.UTF-8", "unzip", "-q", zip, "-d", output], in: folder)
        case .bsdtar:
            try run(["env", "LC_ALL=C.UTF-8", "bsdtar", "-xf", zip, "-C", output], in: folder)
        case .miniunzip:
            try run(["miniunzip", "-x", zip, "-d", output], in: folder)
        case .python3:
            return try Self.parse(run(["python3", "-c", Self.pythonProgram, zip], in: folder))
        case .java:
            try folder.write(Array(Self.javaProgram.utf8), to: "ReadZip.java")
            return try Self.parse(run(["java", "ReadZip.java", zip], in: folder))
        }
        let tree = try TreeScanner.scan("\(folder.path)/\(output)")
        return Dictionary(uniqueKeysWithValues: tree.files.map { ($0.path.text, $0.content.digest.hex) })
    }

    @discardableResult
    private func run(_ arguments: [String], in folder: ScratchFolder) throws -> String {
        let outcome = try Tool.run(arguments, in: folder)
        guard outcome.status == 0 else { throw Failure(text: outcome.text) }
        return outcome.text
    }

    /// Parses lines of a digest, a space and a path.
    private static func parse(_ text: String) -> [String: String] {
        var files: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            files[parts[1]] = parts[0]
        }
        return files
    }

    private static let pythonProgram = """
        import hashlib, sys, zipfile
        sys.stdout.reconfigure(encoding="utf-8")
        with zipfile.ZipFile(sys.argv[1]) as zip:
            assert zip.testzip() is None
            for name in zip.namelist():
                print(hashlib.sha256(zip.read(name)).hexdigest(), name)
        """

    private static let javaProgram = """
        import java.io.*;
        import java.nio.charset.StandardCharsets;
        import java.security.MessageDigest;
        import java.util.HexFormat;
        import java.util.zip.*;

        class ReadZip {
            public static void main(String[] arguments) throws Exception {
                PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
                try (ZipInputStream zip = new ZipInputStream(new FileInputStream(arguments[0]))) {
                    for (ZipEntry entry; (entry = zip.getNextEntry()) != null;) {
                        byte[] digest = MessageDigest.getInstance("SHA-256").digest(zip.readAllBytes());
                        out.println(HexFormat.of().formatHex(digest) + " " + entry.getName());
                    }
                }
            }
        }
        """
}
