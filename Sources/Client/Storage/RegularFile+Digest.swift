import Artifacts
import Domain
import Files

extension RegularFile {
    /// Returns the SHA-256 of the whole file.
    func digest() throws(SystemError) -> SHA256Digest {
        var hasher = SHA256Hasher()
        var offset = 0
        while offset < size {
            let piece = try read(at: offset, upTo: 256 << 10)
            piece.withUnsafeBytes { hasher.update($0) }
            offset += piece.count
        }
        return hasher.finish()
    }
}
