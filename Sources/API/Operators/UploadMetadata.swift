import Domain
import Ground

/// The field `Upload-Metadata`: keys with Base64 values, which only the client interprets.
enum UploadMetadata {
    static let maximumLength = 4096
    static let shape =
        "keys separated by commas, each once and with a value in Base64 after a space, at most "
        + "\(maximumLength) bytes"

    static func isValid(_ field: String) -> Bool {
        guard field.utf8.count <= maximumLength else { return false }
        guard !field.isEmpty else { return true }
        var keys: Set<Substring> = []
        return field.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { pair in
            let parts = pair.drop { $0 == " " }.split(separator: " ", omittingEmptySubsequences: false)
            guard let key = parts.first, !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                keys.insert(key).inserted
            else { return false }
            return parts.count == 1 || parts.count == 2 && Base64.decode(String(parts[1])) != nil
        }
    }
}
