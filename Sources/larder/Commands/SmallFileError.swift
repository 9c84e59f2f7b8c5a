import Glibc

/// The reason why a small file was rejected.
enum SmallFileError: Error {
    /// The file cannot be read; the code is an `errno`.
    case unreadable(code: Int32)
    case tooLong

    /// Returns the message for the user who named the file.
    ///
    /// - Parameter content: The expected content, such as "key".
    func message(_ path: String, of content: String) -> String {
        switch self {
        case .unreadable(let code): "cannot read the \(content) \(path): \(String(cString: strerror(code)))"
        case .tooLong:
            "\(path) is longer than a \(content): give a file that contains only the \(content)"
        }
    }
}
