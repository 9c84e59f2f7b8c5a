import Artifacts
import ArtifactsProbe
import Domain
import Glibc
import TestKit
import Testing

@Suite(.ownThread)
struct FolderTests {
    private func site() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.write(Array(String(repeating: "<p>hello</p>", count: 1000).utf8), to: "site/index.html")
        try folder.write(OpenSSLCryptography().randomBytes(300_000), to: "site/img/a.bin")
        try folder.write([], to: "site/img.txt")
        try folder.write([1], to: "site/日本/é.txt")
        return folder
    }

    @Test func `a folder is packed, extracted and scanned to the same tree`() throws {
        let folder = try site()
        let (site, zip, out) = ("\(folder.path)/site", "\(folder.path)/site.zip", "\(folder.path)/out")
        #expect(try ZipMaker.pack(site, into: zip) == 4)
        let tree = try TreeScanner.scan(site)
        #expect(tree.files.map(\.path.text) == ["img.txt", "img/a.bin", "index.html", "日本/é.txt"])
        try ZipExtractor.extract(zipAt: zip, into: out)
        #expect(try TreeScanner.scan(out) == tree)
        #expect(try folder.read("out/index.html") == folder.read("site/index.html"))
    }

    @Test func `a folder packs to the archive that the workshop builds`() throws {
        let folder = try site()
        try ZipMaker.pack("\(folder.path)/site", into: "\(folder.path)/site.zip")
        let unpacking = try Unpacking()
        let zip = try folder.read("site.zip")
        let built = try unpacking.workshop.buildZip(unpacking.tree(of: zip).files, into: unpacking.staging)
        #expect(OpenSSLCryptography().sha256(zip) == built.digest)
    }

    @Test func `macOS metadata files are not packed, but are part of a folder's tree`() throws {
        let folder = try site()
        try folder.write([0], to: "site/.DS_Store")
        try folder.write([0], to: "site/__MACOSX/img/._a.bin")
        #expect(try ZipMaker.pack("\(folder.path)/site", into: "\(folder.path)/site.zip") == 4)
        #expect(try TreeScanner.scan("\(folder.path)/site").files.count == 6)
    }

    @Test func `links and pipes are neither packed nor scanned`() throws {
        for (make, reason) in [
            ({ symlink("/etc/passwd", $0) }, "symlink"), ({ symlink("..", $0) }, "symlink"),
            ({ mkfifo($0, 0o600) }, "special-file"),
        ] as [((String) -> Int32, String)] {
            let folder = try site()
            #expect(make("\(folder.path)/site/img/odd") == 0)
            for error in [
                #expect(throws: PlatformError.self) { try TreeScanner.scan("\(folder.path)/site") },
                #expect(throws: PlatformError.self) {
                    try ZipMaker.pack("\(folder.path)/site", into: "\(folder.path)/site.zip")
                },
            ] {
                #expect(error?.reason == reason)
                #expect(error?.entry == "img/odd")
            }
        }
    }

    @Test func `an empty folder and colliding names are not packed`() throws {
        let folder = try ScratchFolder()
        try folder.write([], to: "a/A.txt")
        try folder.write([], to: "a/a.txt")
        try folder.write([], to: "b/.DS_Store")
        for (name, reason) in [("a", "path-collision"), ("b", "empty")] {
            let error = #expect(throws: PlatformError.self) {
                try ZipMaker.pack("\(folder.path)/\(name)", into: "\(folder.path)/x.zip")
            }
            #expect(error?.reason == reason)
        }
    }

    @Test func `a file too long to deflate is stored`() throws {
        let folder = try ScratchFolder()
        try folder.write([UInt8](repeating: 0, count: 64 << 20), to: "a/edge.bin")
        try folder.write([UInt8](repeating: 0, count: 64 << 20 + 1), to: "a/past.bin")
        let zip = "\(folder.path)/a.zip"
        try ZipMaker.pack("\(folder.path)/a", into: zip)
        let size = try folder.read("a.zip").count
        #expect(size > 64 << 20 && size < 65 << 20)
        let limits = PackageLimits(compressionRatio: 2000)
        try ZipExtractor.extract(zipAt: zip, into: "\(folder.path)/out", limits: limits)
        #expect(try TreeScanner.scan("\(folder.path)/out").totalSize == 128 << 20 + 1)
    }

    @Test func `extracting replaces files without touching their other names`() throws {
        let folder = try site()
        try folder.write([7], to: "base/img/a.bin")
        try folder.write([8], to: "base/other")
        try ZipMaker.pack("\(folder.path)/site", into: "\(folder.path)/site.zip")
        #expect(link("\(folder.path)/base/img/a.bin", "\(folder.path)/linked") == 0)
        try ZipExtractor.extract(zipAt: "\(folder.path)/site.zip", into: "\(folder.path)/base")
        #expect(try folder.read("base/img/a.bin") == folder.read("site/img/a.bin"))
        #expect(try folder.read("base/other") == [8])
        #expect(try folder.read("linked") == [7])
    }

    @Test func `extracting never follows a link out of the folder`() throws {
        let folder = try site()
        try ZipMaker.pack("\(folder.path)/site", into: "\(folder.path)/site.zip")
        try folder.write([7], to: "outside/a.bin")
        try folder.write([7], to: "out/x")
        #expect(symlink("../outside", "\(folder.path)/out/img") == 0)
        let error = #expect(throws: PlatformError.self) {
            try ZipExtractor.extract(zipAt: "\(folder.path)/site.zip", into: "\(folder.path)/out")
        }
        #expect(error?.code == .storageFailed)
        #expect(try folder.read("outside/a.bin") == [7])
        // A link at the path of a file is replaced, not followed.
        #expect(unlink("\(folder.path)/out/img") == 0)
        #expect(symlink("../outside/a.bin", "\(folder.path)/out/index.html") == 0)
        try ZipExtractor.extract(zipAt: "\(folder.path)/site.zip", into: "\(folder.path)/out")
        #expect(try folder.read("outside/a.bin") == [7])
    }

    @Test(arguments: [
        (CraftedZip.Entry.stored("../a"), "path-traversal"), (.stored("/a"), "path-absolute"),
        (.stored("a").with { $0.mode = 0o120777 }, "symlink"),
        (.stored("a").with { $0.crc32 ^= 1 }, "checksum-mismatch"),
    ])
    func `extracting refuses what unpacking refuses`(entry: CraftedZip.Entry, reason: String) throws {
        let folder = try ScratchFolder()
        let zip = try folder.write(CraftedZip([entry]).bytes, to: "bad.zip")
        let error = #expect(throws: PlatformError.self) {
            try ZipExtractor.extract(zipAt: zip, into: "\(folder.path)/out")
        }
        #expect(error?.reason == reason)
    }

    @Test func `a file that cannot be opened is named, with the reason`() throws {
        let folder = try ScratchFolder()
        let missing = "\(folder.path)/missing.zip"
        for (path, reason) in [
            (missing, "No such file or directory"), (folder.path, "Is a directory"),
        ] {
            let error = #expect(throws: PlatformError.self) {
                try ZipExtractor.extract(zipAt: path, into: "\(folder.path)/out")
            }
            #expect(error?.code == .storageFailed)
            #expect(error?.message == "A file cannot be read or written: opening \(path) failed: \(reason).")
        }
    }

    @Test func `a signed archive is extracted however well it is packed`() throws {
        let folder = try ScratchFolder()
        let zeros = CraftedZip.Entry.deflated("zeros", [UInt8](repeating: 0, count: 3 << 20))
        let zip = try folder.write(CraftedZip([zeros]).bytes, to: "zeros.zip")
        #expect(throws: PlatformError.self) { try ZipExtractor.extract(zipAt: zip, into: "\(folder.path)/upload") }
        try ZipExtractor.extract(zipAt: zip, into: "\(folder.path)/out", limits: .signedArchive)
        #expect(try folder.read("out/zeros").count == 3 << 20)
    }

    @Test func `a signed archive may have as many entries as the format counts`() throws {
        let folder = try ScratchFolder()
        let entries = (0..<20_001).map { CraftedZip.Entry.stored("\($0)", []) }
        let zip = try folder.write(CraftedZip(entries).bytes, to: "many.zip")
        try ZipExtractor.extract(zipAt: zip, into: "\(folder.path)/out", limits: .signedArchive)
        #expect(try TreeScanner.scan("\(folder.path)/out").files.count == 20_001)
    }

    @Test func `a signed archive with names that fold alike is extracted, an upload is not`() throws {
        let folder = try ScratchFolder()
        let entries = ["A", "a", "ς", "σ"].map { CraftedZip.Entry.stored($0, Array($0.utf8)) }
        let zip = try folder.write(CraftedZip(entries).bytes, to: "alike.zip")
        let error = #expect(throws: PlatformError.self) {
            try ZipExtractor.extract(zipAt: zip, into: "\(folder.path)/upload")
        }
        #expect(error?.reason == "path-collision")
        let out = "\(folder.path)/out"
        try ZipExtractor.extract(zipAt: zip, into: out, limits: .signedArchive, names: .byBytes)
        #expect(try TreeScanner.scan(out).files.map(\.path.text) == ["A", "a", "ς", "σ"])
        let twice = try folder.write(CraftedZip([.stored("a"), .stored("a")]).bytes, to: "twice.zip")
        #expect(throws: PlatformError.self) { try ZipExtractor.extract(zipAt: twice, into: out, names: .byBytes) }
    }

    @Test func `extracting keeps to its limits`() throws {
        let folder = try ScratchFolder()
        let zip = try folder.write(CraftedZip([.stored("a", [1, 2, 3])]).bytes, to: "a.zip")
        let out = "\(folder.path)/out"
        try ZipExtractor.extract(zipAt: zip, into: out, limits: PackageLimits(totalBytes: 3))
        #expect(throws: PlatformError.self) {
            try ZipExtractor.extract(zipAt: zip, into: out, limits: PackageLimits(totalBytes: 2))
        }
    }
}
