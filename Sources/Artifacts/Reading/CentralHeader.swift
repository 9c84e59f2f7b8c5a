import Domain
import Glibc

/// A decoded record of the central directory, not yet validated (APPNOTE §4.3.12).
struct CentralHeader {
    let flags: UInt16
    let method: UInt16
    let crc32: UInt32
    let packedSize: Int
    let size: Int
    let localOffset: Int
    let mode: mode_t
    let rawName: [UInt8]
    /// The name, in UTF-8 if an extra field contains it.
    let name: EntryName
    /// The length of the whole record.
    let length: Int

    /// Reads the record at an offset; throws if it does not fit before `end`.
    init(in file: borrowing PositionedFile, at offset: Int, before end: Int) throws(PlatformError) {
        let damaged = ZipRefusal.directoryDamaged("entry").error()
        guard offset + ZipFormat.centralLength <= end,
            let fixed = try file.bytes(at: offset, count: ZipFormat.centralLength),
            fixed.littleEndian(at: 0) == ZipFormat.centralSignature
        else { throw damaged }
        let nameLength = Int(fixed.littleEndian(UInt16.self, at: 28))
        let extraLength = Int(fixed.littleEndian(UInt16.self, at: 30))
        length = ZipFormat.centralLength + nameLength + extraLength + Int(fixed.littleEndian(UInt16.self, at: 32))
        guard offset + length <= end,
            let variable = try file.bytes(at: offset + ZipFormat.centralLength, count: nameLength + extraLength)
        else { throw damaged }

        flags = fixed.littleEndian(at: 8)
        method = fixed.littleEndian(at: 10)
        crc32 = fixed.littleEndian(at: 16)
        mode = mode_t(fixed.littleEndian(UInt32.self, at: 38) >> 16)
        rawName = Array(variable[..<nameLength])
        let extra = ZipExtra(Array(variable[nameLength...]))
        let isMarkedUTF8 = flags & ZipFormat.Flag.utf8 != 0
        name = EntryName(bytes: (isMarkedUTF8 ? nil : extra.unicodePath(for: rawName)) ?? rawName)
        let disk = fixed.littleEndian(UInt16.self, at: 34)
        guard disk == 0 || disk == ZipFormat.beyond16 else { throw ZipRefusal.multiPart.error() }
        let sizes = [24, 20, 42].map { fixed.littleEndian(UInt32.self, at: $0) }
        guard let wide = extra.resolve(sizes) else { throw damaged }
        (size, packedSize, localOffset) = (wide[0], wide[1], wide[2])
    }

    /// Returns the kind of the entry as far as the record shows it; rejects entries that no package may contain.
    func content() throws(PlatformError) -> ZipRecord.Content {
        let secret = ZipFormat.Flag.encrypted | ZipFormat.Flag.strongEncryption | ZipFormat.Flag.maskedHeaders
        guard flags & secret == 0 else { throw ZipRefusal.encrypted.error(entry: name.shown) }
        guard let known = ZipFormat.Method(rawValue: method) else {
            throw ZipRefusal.method(method).error(entry: name.shown)
        }
        guard known == .deflated || size == packedSize else {
            throw ZipRefusal.headersDisagree("sizes of a stored file").error(entry: name.shown)
        }
        switch mode & S_IFMT {
        case 0, S_IFREG: break
        case S_IFDIR where name.isFolder: break
        case S_IFDIR: throw ZipRefusal.headersDisagree("folder or file").error(entry: name.shown)
        case S_IFLNK: throw ZipRefusal.symlink.error(entry: name.shown)
        default: throw ZipRefusal.specialFile.error(entry: name.shown)
        }
        if name.isJunk { return .leftOut }
        // Some archivers add an entry for the packed folder itself.
        if name.isFolder, name.path.isEmpty { return .leftOut }
        let pathBytes = name.isFolder ? name.path.dropLast() : name.path
        do {
            let path = try TreePath(validating: pathBytes)
            guard name.isFolder else { return .file(path) }
        } catch {
            throw ZipRefusal.path(error).error(entry: name.shown)
        }
        guard size == 0 else { throw ZipRefusal.headersDisagree("a folder with bytes").error(entry: name.shown) }
        return .leftOut
    }
}
