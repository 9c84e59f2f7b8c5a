import Foundation

/// The blobs of a data directory, read from outside.
enum Blobs {
    /// Returns the names under `staging/`.
    static func staged(in data: String) throws -> [String] {
        // Files may disappear during the listing, for instance those of patches; the listing is then repeated.
        for _ in 0..<100 {
            if let names = try? FileManager.default.subpathsOfDirectory(atPath: "\(data)/staging") {
                return names.sorted()
            }
        }
        return try FileManager.default.subpathsOfDirectory(atPath: "\(data)/staging").sorted()
    }

    /// Returns the digests of the stored blob files.
    static func stored(in data: String) throws -> Set<String> {
        Set(try FolderContents("\(data)/blobs").files.map { ($0 as NSString).lastPathComponent })
    }

    /// Returns the digests of the blobs in the metadata, read by another program.
    static func known(in data: String) throws -> Set<String> {
        Set(try rows("SELECT lower(hex(digest)) FROM blobs", in: data))
    }

    /// Returns the number of delta patches, replaced ones included.
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
