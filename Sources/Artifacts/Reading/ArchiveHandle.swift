import CArchive
import Domain
import Glibc

/// A libarchive reader of a zip by its central directory, freed at the end of its owner's life.
struct ArchiveHandle: ~Copyable {
    private let archive: OpaquePointer

    /// - Parameter descriptor: The zip, which remains the caller's and has to stay open; its offset moves.
    init(descriptor: Int32) throws(PlatformError) {
        guard let archive = archive_read_new() else {
            throw PlatformError(
                .internalError, "There is not enough memory to read the zip.", cause: "archive_read_new")
        }
        // No filters: a gzipped zip is not accepted.
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

    /// Moves to the next entry and returns its type, or `nil` after the last one.
    func nextEntry(expecting record: ZipRecord?) throws(PlatformError) -> EntryType? {
        var entry: OpaquePointer?
        let result = archive_read_next_header(archive, &entry)
        if result == ARCHIVE_EOF { return nil }
        // A warning concerns a name that the C locale cannot represent; names are read from the directory.
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

    /// Returns the next bytes of the entry, valid until the next call, or `nil` at its end.
    ///
    /// Some have a warning about sizes and the CRC, which the caller checks itself with better messages.
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

    /// Converts libarchive's failures to errors, as the only code that does.
    private static func refusal(of archive: OpaquePointer, entry: String?) -> PlatformError {
        let text = archive_error_string(archive).map { String(cString: $0) }
        // A failure of the disk or of memory is no property of the zip.
        if [EIO, ENOMEM].contains(archive_errno(archive)) {
            return PlatformError(.storageFailed, "The zip cannot be read from the disk. Try again.", cause: text)
        }
        return ZipRefusal.corrupt.error(entry: entry, cause: text)
    }
}
