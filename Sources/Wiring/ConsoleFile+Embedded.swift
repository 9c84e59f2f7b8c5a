package import API
import CEmbedded

extension ConsoleFile {
    /// Returns the files of the console that the program embeds.
    package static func embedded() -> [ConsoleFile] {
        var count = 0
        guard let files = embedded_console(&count) else { return [] }
        return UnsafeBufferPointer(start: files, count: count).map { file in
            ConsoleFile(
                path: String(cString: file.name),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }
}
