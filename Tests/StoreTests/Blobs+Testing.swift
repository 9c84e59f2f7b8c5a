import Domain
import Glibc

extension BlobFile {
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }
}

extension BlobStaging {
    func addBlob(_ bytes: [UInt8], as digest: SHA256Digest) throws {
        let file = try newBlob()
        try file.write(bytes)
        try file.finish(as: digest)
    }
}

extension OpenBlob {
    func contents() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        let count = pread(descriptor, &bytes, size, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
