import Domain

/// A reader of untrusted zips.
///
/// Checks the directory before anything is unpacked, and limits the output as it is produced.
struct ZipReader: ~Copyable {
    private let file: PositionedFile
    private let directory: CentralDirectory
    private let limits: PackageLimits

    /// Opens a zip and checks its directory; throws `badPackage`.
    ///
    /// - Parameter names: The comparison by which no two paths may collide.
    init(path: String, limits: PackageLimits, names: NameComparison = .folded) throws(PlatformError) {
        let file = try PositionedFile(path: path)
        directory = try CentralDirectory(of: file, limits: limits, names: names)
        self.limits = limits
        self.file = file
    }

    /// A function that passes an entry's bytes on in pieces.
    typealias Pieces = ((UnsafeRawBufferPointer) throws(PlatformError) -> Void) throws(PlatformError) -> Void

    /// Calls `body` for the files of the zip in order; throws `badPackage` at the first bad entry.
    ///
    /// - Parameter body: Receives the path, the directory's values, and a function that it must call once: this unpacks
    ///   the file, and returns only if the contents agree with the directory.
    func forEachFile(_ body: (TreePath, ZipRecord, Pieces) throws(PlatformError) -> Void) throws(PlatformError) {
        let archive = try ArchiveHandle(descriptor: file.descriptor)
        var meter = EntryMeter(limits: limits)
        for record in directory.records {
            let type = try archive.nextEntry(expecting: record)
            guard let path = record.path else { continue }
            try Self.check(type, record)
            try body(path, record) { consume throws(PlatformError) in
                meter.begin()
                var warning: PlatformError?
                while let piece = try archive.nextPiece(of: record) {
                    warning = warning ?? piece.warning
                    guard !piece.bytes.isEmpty else { continue }
                    try meter.add(piece.bytes, of: record)
                    try consume(piece.bytes)
                }
                try meter.finish(record)
                // Size and CRC are right, so the warning is about bytes after the end of a deflate stream.
                if let warning { throw warning }
            }
        }
        guard try archive.nextEntry(expecting: nil) == nil else {
            throw ZipRefusal.directoryDamaged("number of entries").error()
        }
    }

    private static func check(_ type: ArchiveHandle.EntryType?, _ record: ZipRecord) throws(PlatformError) {
        switch type {
        case .file: return
        case .symlink: throw ZipRefusal.symlink.error(entry: record.shownName)
        case .hardLink: throw ZipRefusal.hardLink.error(entry: record.shownName)
        case .special: throw ZipRefusal.specialFile.error(entry: record.shownName)
        case .folder: throw ZipRefusal.headersDisagree("folder or file").error(entry: record.shownName)
        case nil: throw ZipRefusal.directoryDamaged("number of entries").error()
        }
    }
}
