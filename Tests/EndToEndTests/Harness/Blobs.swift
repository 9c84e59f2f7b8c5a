import Foundation

/// What lies in a data directory, seen from outside.
enum Blobs {
    /// Names under `staging/`.
    static func staged(in data: String) throws -> [String] {
        // What comes and goes while it is listed, as what patches are made in, is listed again.
        for _ in 0..<100 {
            if let names = try? FileManager.default.subpathsOfDirectory(atPath: "\(data)/staging") {
                return names.sorted()
            }
        }
        return try FileManager.default.subpathsOfDirectory(atPath: "\(data)/staging").sorted()
    }

    /// The blobs that are there as files.
    static func stored(in data: String) throws -> Set<String> {
        Set(try FolderContents("\(data)/blobs").files.map { ($0 as NSString).lastPathComponent })
    }

    /// The blobs that the metadata know, as a program that is not ours reads them.
    static func known(in data: String) throws -> Set<String> {
        Set(try rows("SELECT lower(hex(digest)) FROM blobs", in: data))
    }

    /// How many delta patches there are, those included that another one took the place of.
    static func deltas(in data: String) throws -> Int {
        try rows("SELECT 1 FROM artifacts WHERE kind = 'delta'", in: data).count
    }

    private static func rows(_ query: String, in data: String) throws -> [String] {
        let lines = try Program.succeed([
            "python3", "-c",
            """
            import sqlite3, sys
            database = sqlite3.connect(f"file:{sys.argv[1]}/larder.sqlite?mode=ro", uri=True)
            for (value,) in database.execute(sys.argv[2]):
                print(value)
            """, data, query,
        ])
        return lines.split(separator: "\n").map(String.init)
    }
}
