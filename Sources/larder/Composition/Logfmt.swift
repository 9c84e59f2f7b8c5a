import Domain

/// How values stand in the lines of the logs.
enum Logfmt {
    /// As it is where that is plain; quoted, with escapes, otherwise, so that no value can look like another field.
    static func value(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        return isPlain ? text : JSON.string(text).text
    }
}
