import Files

/// The bytes of a request's body, which are read as they are sent.
struct RequestBody: ~Copyable {
    private enum Source: ~Copyable {
        case bytes([UInt8])
        case file(RegularFile)
    }

    private let source: Source
    /// The offset of the body in its file.
    private let start: Int
    let count: Int

    /// Opens the file if the body comes from one.
    init(_ body: ClientRequest.Body) throws(SystemError) {
        switch body {
        case .none: self.init(source: .bytes([]), count: 0)
        case .bytes(let bytes): self.init(source: .bytes(bytes), count: bytes.count)
        case .file(let path):
            let file = try RegularFile(path)
            let count = file.size
            self.init(source: .file(file), count: count)
        case .part(let path, let range):
            self.init(source: .file(try RegularFile(path)), start: range.lowerBound, count: range.count)
        }
    }

    private init(source: consuming Source, start: Int = 0, count: Int) {
        self.source = source
        self.start = start
        self.count = count
    }

    /// Copies bytes from an offset on into a buffer, as many as fit; returns their number, 0 at the end.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let wanted = min(buffer.count, count - offset)
        guard wanted > 0 else { return 0 }
        switch source {
        case .bytes(let bytes): buffer.copyBytes(from: bytes[offset..<offset + wanted])
        case .file(let file): buffer.copyBytes(from: try file.read(at: start + offset, upTo: wanted))
        }
        return wanted
    }
}
