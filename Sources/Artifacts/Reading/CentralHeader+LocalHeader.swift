import Domain

extension CentralHeader {
    /// Checks that the local header agrees (APPNOTE §4.3.7), and returns the range of the entry with its header.
    ///
    /// The local header's sizes and CRC may be zero if a data descriptor follows the bytes.
    func checkLocalHeader(
        in file: borrowing PositionedFile, before end: Int
    ) throws(PlatformError) -> Range<Int> {
        guard let fixed = try file.bytes(at: localOffset, count: ZipFormat.localLength),
            localOffset + ZipFormat.localLength <= end, fixed.littleEndian(at: 0) == ZipFormat.localSignature
        else { throw ZipRefusal.headersDisagree("offset").error(entry: name.shown) }
        let nameLength = Int(fixed.littleEndian(UInt16.self, at: 26))
        let extraLength = Int(fixed.littleEndian(UInt16.self, at: 28))
        let dataStart = localOffset + ZipFormat.localLength + nameLength + extraLength
        guard let variable = try file.bytes(at: localOffset + ZipFormat.localLength, count: nameLength + extraLength),
            dataStart <= end, packedSize <= end - dataStart
        else { throw ZipRefusal.headersDisagree("size").error(entry: name.shown) }

        try check(fixed, extra: ZipExtra(Array(variable[nameLength...])))
        guard variable[..<nameLength].elementsEqual(rawName) else {
            throw ZipRefusal.headersDisagree("name").error(entry: name.shown)
        }
        return localOffset..<dataStart + packedSize
    }

    private func check(_ fixed: [UInt8], extra: ZipExtra) throws(PlatformError) {
        let localFlags = fixed.littleEndian(UInt16.self, at: 6)
        guard (localFlags ^ flags) & ZipFormat.Flag.encrypted == 0 else {
            throw ZipRefusal.headersDisagree("encryption").error(entry: name.shown)
        }
        guard fixed.littleEndian(at: 8) == method else {
            throw ZipRefusal.headersDisagree("method").error(entry: name.shown)
        }
        let mayBeZero = localFlags & ZipFormat.Flag.dataDescriptor != 0
        let localCRC = fixed.littleEndian(UInt32.self, at: 14)
        guard localCRC == crc32 || mayBeZero && localCRC == 0 else {
            throw ZipRefusal.headersDisagree("CRC-32").error(entry: name.shown)
        }
        let sizes = extra.resolve([fixed.littleEndian(at: 22), fixed.littleEndian(at: 18)])
        guard let sizes, sizes[0] == size || mayBeZero && sizes[0] == 0,
            sizes[1] == packedSize || mayBeZero && sizes[1] == 0
        else { throw ZipRefusal.headersDisagree("size").error(entry: name.shown) }
    }
}
