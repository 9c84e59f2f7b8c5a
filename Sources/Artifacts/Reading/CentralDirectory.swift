import Domain

/// The entries of a zip, checked against their local headers without unpacking.
struct CentralDirectory {
    /// The entries in the order of their local headers, in which libarchive reads them.
    let records: [ZipRecord]

    /// Reads the directory.
    ///
    /// Rejects a zip that readers could interpret differently, paths that no tree may contain, and more entries than
    /// the limits allow.
    init(
        of file: borrowing PositionedFile, limits: PackageLimits, names: NameComparison
    ) throws(PlatformError) {
        guard file.size <= limits.uploadBytes else {
            throw ZipRefusal.uploadTooLarge(limit: limits.uploadBytes).error()
        }
        let end = try EndOfDirectory.find(in: file)
        guard end.entryCount > 0 else { throw ZipRefusal.empty.error() }
        guard end.entryCount <= limits.fileCount else {
            throw ZipRefusal.tooManyEntries(limit: limits.fileCount).error()
        }
        var records: [ZipRecord] = []
        var offset = end.directoryOffset
        let directoryEnd = end.directoryOffset + end.directorySize
        for _ in 0..<end.entryCount {
            let header = try CentralHeader(in: file, at: offset, before: directoryEnd)
            let range = try header.checkLocalHeader(in: file, before: end.directoryOffset)
            records.append(
                ZipRecord(
                    content: try header.content(), shownName: header.name.shown, crc32: header.crc32,
                    packedSize: header.packedSize, size: header.size, range: range))
            offset += header.length
        }
        guard offset == directoryEnd else { throw ZipRefusal.directoryDamaged("number of entries").error() }
        self.records = records.sorted { $0.range.lowerBound < $1.range.lowerBound }
        try checkOffsets()
        try PathCheck.refuseCollisions(self.records.compactMap(\.path), names)
    }

    private func checkOffsets() throws(PlatformError) {
        guard records.first?.range.lowerBound == 0 else { throw ZipRefusal.leadingData.error() }
        for (record, next) in zip(records, records.dropFirst())
        where next.range.lowerBound < record.range.upperBound {
            throw ZipRefusal.overlapping.error(entry: next.shownName)
        }
    }
}
