import Domain
import Ground

/// The reason why a zip is rejected.
enum ZipRefusal: Equatable {
    // Reasons that concern the whole file.
    case notAZip, truncated, leadingData, trailingData, ambiguousEnd, commentTooLong, multiPart, empty
    case directoryDamaged(String)
    case uploadTooLarge(limit: Int)
    case tooManyEntries(limit: Int)
    case totalTooLarge(limit: Int)

    // Reasons that concern one entry.
    case path(TreePath.Fault)
    case encrypted, symlink, hardLink, specialFile, overlapping, corrupt, checksum, sizeMismatch
    case method(UInt16)
    case headersDisagree(String)
    case duplicate
    case collision(TreePath)
    case fileTooLarge(limit: Int)
    case ratioTooHigh(limit: Int)

    /// - Parameter entry: The name for display; see ``EntryName``.
    func error(entry: String? = nil, cause: String? = nil) -> PlatformError {
        PlatformError(.badPackage, message, entry: entry, reason: reason, cause: cause)
    }

    /// The stable code of the reason.
    private var reason: String {
        switch self {
        case .notAZip: "not-a-zip"
        case .truncated: "truncated"
        case .leadingData: "leading-data"
        case .trailingData: "trailing-data"
        case .ambiguousEnd: "ambiguous-end"
        case .commentTooLong: "comment-too-long"
        case .multiPart: "multi-part"
        case .empty: "empty"
        case .directoryDamaged: "directory-damaged"
        case .uploadTooLarge: "upload-too-large"
        case .tooManyEntries: "too-many-entries"
        case .totalTooLarge: "total-too-large"
        case .path(let fault): fault.rawValue
        case .encrypted: "encrypted"
        case .symlink: "symlink"
        case .hardLink: "hard-link"
        case .specialFile: "special-file"
        case .overlapping: "overlapping"
        case .corrupt: "corrupt"
        case .checksum: "checksum-mismatch"
        case .sizeMismatch: "size-mismatch"
        case .method: "compression-method"
        case .headersDisagree: "headers-disagree"
        case .duplicate: "duplicate-path"
        case .collision: "path-collision"
        case .fileTooLarge: "file-too-large"
        case .ratioTooHigh: "ratio-too-high"
        }
    }

    private var message: String {
        switch self {
        case .notAZip: "This is not a zip. Send the files of the package as a zip."
        case .truncated: "The zip is truncated. Send it again, whole."
        case .leadingData: "The zip has data before its first file. Pack it again, without a stub."
        case .trailingData: "The zip has data after its end. Pack it again."
        case .ambiguousEnd: "The zip has two end records, which readers interpret differently. Pack it again."
        case .commentTooLong: "The comment of the zip is too long. Pack it again without one."
        case .multiPart: "The zip is one part of several. Send all files in one zip."
        case .empty: "The zip contains no file that can be published. Pack the files of the package."
        case .directoryDamaged(let what): "The directory of the zip is damaged (\(what)). Pack it again."
        case .uploadTooLarge(let limit): "The zip is larger than \(ByteCount.text(limit)). Pack fewer files."
        case .tooManyEntries(let limit): "The zip has more than \(limit) entries, folders included. Pack fewer files."
        case .totalTooLarge(let limit):
            "The files of the zip have more than \(ByteCount.text(limit)) in total. Pack fewer files."
        case .path(let fault): Self.message(of: fault)
        case .encrypted: "The entry is encrypted. Pack the files without a password."
        case .symlink: "The entry is a symbolic link. Pack the file that it points to instead."
        case .hardLink: "The entry is a hard link. Pack the file itself instead."
        case .specialFile: "The entry is a device, a pipe or a socket. Pack only files."
        case .overlapping: "The entry overlaps another entry of the zip. Pack it again."
        case .corrupt: "The bytes of the entry are damaged. Pack the files again, or send the zip again."
        case .checksum: "The bytes of the entry do not match the CRC-32 in the zip. Pack or send it again."
        case .sizeMismatch: "The entry does not have the size stated in the zip. Pack or send it again."
        case .method(let method):
            "The entry is compressed by method \(method), which is not supported. Pack with deflate, or without compression."
        case .headersDisagree(let what): "The headers of the entry contradict each other (\(what)). Pack it again."
        case .duplicate: "The zip contains this path twice. Pack each file once."
        case .collision(let other):
            "On devices that ignore case this path is the same as “\(other)”, or one is a folder of the other. Rename one "
                + "of them."
        case .fileTooLarge(let limit):
            "The file is larger than \(ByteCount.text(limit)). Make it smaller or leave it out."
        case .ratioTooHigh(let limit):
            "The file is compressed by more than \(limit) to 1, like a zip bomb. Leave it out."
        }
    }

    private static func message(of fault: TreePath.Fault) -> String {
        let what =
            switch fault {
            case .empty: "is empty"
            case .notUTF8: "is not UTF-8"
            case .absolute: "begins with a slash"
            case .driveLetter: "begins with a drive letter"
            case .backslash: "contains a backslash"
            case .traversal: "has a part that is `.` or `..`"
            case .emptyPart: "has two slashes in a row, or one at its end"
            case .controlCharacter: "contains a control character"
            case .tooLong: "is longer than \(TreePath.maximumLength) bytes"
            case .partTooLong: "has a part longer than \(TreePath.maximumPartLength) bytes"
            case .tooDeep: "has more than \(TreePath.maximumDepth) parts"
            }
        return "The path of the entry \(what). Pack with plain relative paths in UTF-8."
    }
}
