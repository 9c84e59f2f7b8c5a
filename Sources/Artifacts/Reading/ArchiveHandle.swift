import CArchive
import Domain
import Glibc

/// libarchive reading a zip by its central directory; freed with its owner.
struct ArchiveHandle: ~Copyable {
    private let archive: OpaquePointer

    /// - Parameter descriptor: Stays the caller's and open for as long as this lives; its offset is moved.
    init(descriptor: Int32) throws(PlatformError) {
        guard let archive = archive_read_new() else {
            throw PlatformError(.internalError, "There is no memory to read the zip.", cause: "archive_read_new")
        }
        // No filters: a zip within gzip is no zip.
        guard archive_read_support_format_zip_seekable(archive) == ARCHIVE_OK,
            archive_read_open_fd(archive, descriptor, 64 * 1024) == ARCHIVE_OK
        else {
            let refusal = Self.refusal(of: archive, entry: nil)
            archive_read_free(archive)
            throw refusal
        }
        self.archive = archive
    }

    deinit { archive_read_free(archive) }

    /// Goes on to the next entry; `nil` after the last one, else whether its type is one that a package may hold.
    func nextEntry(expecting record: ZipRecord?) throws(PlatformError) -> EntryType? {
        var entry: OpaquePointer?
        let result = archive_read_next_header(archive, &entry)
        if result == ARCHIVE_EOF { return nil }
        // A warning is about a name that the C locale cannot show; names are read from the directory.
        guard result == ARCHIVE_OK || result == ARCHIVE_WARN else {
            throw Self.refusal(of: archive, entry: record?.shownName)
        }
        if archive_entry_hardlink(entry) != nil { return .hardLink }
        return switch archive_entry_filetype(entry) & S_IFMT {
        case S_IFREG, 0: .file
        case S_IFDIR: .folder
        case S_IFLNK: .symlink
        default: .special
        }
    }

    /// The next bytes of the entry, valid until the next call; `nil` after the last.
    ///
    /// Some come with a warning: about sizes and the CRC, which the caller measures and can tell better.
    func nextPiece(of record: ZipRecord) throws(PlatformError) -> Piece? {
        var start: UnsafeRawPointer?
        var count = 0
        var offset: la_int64_t = 0
        let result = archive_read_data_block(archive, &start, &count, &offset)
        if result == ARCHIVE_EOF { return nil }
        let refusal = result == ARCHIVE_OK ? nil : Self.refusal(of: archive, entry: record.shownName)
        if let refusal, result != ARCHIVE_WARN { throw refusal }
        return Piece(bytes: UnsafeRawBufferPointer(start: start, count: count), warning: refusal)
    }

    struct Piece {
        let bytes: UnsafeRawBufferPointer
        let warning: PlatformError?
    }

    enum EntryType { case file, folder, symlink, hardLink, special }

    /// The one place where libarchive's failures become errors.
    private static func refusal(of archive: OpaquePointer, entry: String?) -> PlatformError {
        let text = archive_error_string(archive).map { String(cString: $0) }
        // What the disk or the memory is to blame for says nothing of the zip.
        if [EIO, ENOMEM].contains(archive_errno(archive)) {
            return PlatformError(.storageFailed, "The zip cannot be read from the disk. Try again.", cause: text)
        }
        return ZipRefusal.corrupt.error(entry: entry, cause: text)
    }
}
