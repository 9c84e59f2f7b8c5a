import Glibc

/// Why a file that a person named is not taken.
enum SmallFileError: Error {
    /// With an `errno`.
    case unreadable(code: Int32)
    case tooLong

    /// What to tell whoever named the file at `path` as that of a key, or of whatever `content` is.
    func message(_ path: String, of content: String) -> String {
        switch self {
        case .unreadable(let code): "cannot read the \(content) \(path): \(String(cString: strerror(code)))"
        case .tooLong:
            "\(path) is longer than a \(content): name the file that holds the \(content) and nothing else"
        }
    }
}
