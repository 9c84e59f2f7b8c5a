import Foundation

/// The check of seed 000's signature that its client makes (clients.md K13), by the `openssl` command.
package enum LegacySignature {
    /// Whether a signature, decrypted with the private key, yields the MD5 in hexadecimal digits.
    package static func holds(_ signature: [UInt8], md5: [UInt8], privatePEM: [UInt8]) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-legacy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(signature).write(to: folder.appending(path: "signature"))
        try Data(privatePEM).write(to: folder.appending(path: "key.pem"))
        let run = try ToolRun(
            ["openssl", "pkeyutl", "-decrypt", "-inkey", "key.pem", "-in", "signature"], in: folder.path)
        let expected = md5.map { String(format: "%02x", $0) }.joined()
        return run.status == 0 && run.output == Array(expected.utf8)
    }
}
