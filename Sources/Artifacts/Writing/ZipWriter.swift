import Domain
import Ground

/// The destination of a zip's bytes, which arrive in order.
protocol ZipSink: ~Copyable {
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError)
}

/// A sequential writer of zips; the same entries give the same bytes.
struct ZipWriter<Sink: ZipSink & ~Copyable>: ~Copyable {
    private var sink: Sink
    private var offset = 0
    private var entryCount = 0
    private var directory: [UInt8] = []

    init(to sink: consuming Sink) { self.sink = sink }

    /// Adds a file; entries have to be sorted by path.
    ///
    /// Throws `badPackage` if the archive would need zip64, `storageFailed` if `content` does not have the entry's
    /// length.
    ///
    /// - Parameter content: Passes the packed bytes to the function that it receives.
    mutating func add(
        _ entry: ZipHeaders.Entry,
        content: ((UnsafeRawBufferPointer) throws(PlatformError) -> Void) throws(PlatformError) -> Void
    ) throws(PlatformError) {
        let header = ZipHeaders.localHeader(of: entry)
        let end = offset + header.count + entry.packedSize
        guard entryCount < ZipHeaders.maximumEntries, entry.size <= ZipHeaders.maximumSize,
            end <= ZipHeaders.maximumSize
        else { throw Self.tooLarge }
        directory += ZipHeaders.centralHeader(of: entry, localOffset: offset)
        try emit(header)
        try content { piece throws(PlatformError) in
            try sink.write(piece)
            offset += piece.count
        }
        guard offset == end else {
            throw PlatformError(.storageFailed, "A file changed while it was packed.", entry: entry.path.text)
        }
        entryCount += 1
    }

    /// Writes the directory and returns the sink.
    consuming func finish() throws(PlatformError) -> Sink {
        guard offset + directory.count <= ZipHeaders.maximumSize else { throw Self.tooLarge }
        let end = ZipHeaders.end(entries: entryCount, directoryOffset: offset, directorySize: directory.count)
        let directory = directory
        try emit(directory)
        try emit(end)
        return sink
    }

    private mutating func emit(_ bytes: [UInt8]) throws(PlatformError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(PlatformError) in
            try sink.write(UnsafeRawBufferPointer(buffer))
        }
        offset += bytes.count
    }

    private static var tooLarge: PlatformError {
        PlatformError(
            .badPackage,
            "The archive would exceed \(ByteCount.text(Int(UInt32.max))) or \(ZipHeaders.maximumEntries) files, the "
                + "limit of zips that all clients can read. Split the package.", reason: "archive-too-large")
    }
}
