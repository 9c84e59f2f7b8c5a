import Artifacts
import Domain
import Glibc
import Ground

/// The source of the key that seals private halves.
enum KeySource: Equatable {
    case file(String)
    /// The environment variable ``variableName``.
    case variable
    /// A file that systemd has created for this service only.
    case credential(String)

    static let variableName = "LARDER_KEY"
    /// The name of the credential in the unit (`LoadCredential=`).
    static let credentialName = "larder-key"
    private static let credentialFolder = "CREDENTIALS_DIRECTORY"

    /// Selects the configured file, else the variable, else the credential; fails if there is none.
    ///
    /// Throws a usage error if both a file and the variable are given.
    init?(file path: String, _ environment: [String: String]) throws(CommandError) {
        let folder = Self.credentials(environment)
        let isSet = environment[Self.variableName].map { !$0.isEmpty } ?? false
        if !path.isEmpty {
            guard !isSet else { throw .usage("--key-file and \(Self.variableName) are both set: remove one of them") }
            self = Self.file(at: path, folder)
        } else if isSet {
            self = .variable
        } else if let folder, access("\(folder)/\(Self.credentialName)", F_OK) == 0 {
            self = .credential("\(folder)/\(Self.credentialName)")
        } else {
            return nil
        }
    }

    /// Returns the source for a configured file.
    ///
    /// Files in systemd's credential folder skip the check of the mode, which shows their access list as group
    /// permissions.
    static func file(at path: String, _ environment: [String: String]) -> KeySource {
        file(at: path, credentials(environment))
    }

    private static func credentials(_ environment: [String: String]) -> String? {
        environment[credentialFolder].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func file(at path: String, _ folder: String?) -> KeySource {
        guard let folder, path.hasPrefix("\(folder)/") else { return .file(path) }
        return .credential(path)
    }

    /// Reads the key; throws a usage error with instructions if there is no valid key, or others can read it.
    func sealer(_ environment: [String: String]) throws(CommandError) -> any KeySealer {
        let key: [UInt8]?
        switch self {
        case .file(let path):
            try Self.refuseOpen(path)
            key = try Self.key(inFile: path)
        case .credential(let path): key = try Self.key(inFile: path)
        case .variable: key = Self.key(written: environment[Self.variableName] ?? "")
        }
        guard let sealer = key.flatMap({ AESKeySealer(key: $0) }) else {
            throw .usage(
                "\(name) contains no key: a key is 32 random bytes, raw, in hex or in base64. \(Self.advice)")
        }
        return sealer
    }

    private static let advice =
        "If private keys are encrypted already, give their key; otherwise generate one with `openssl rand -hex 32`"

    private var name: String {
        switch self {
        case .file(let path), .credential(let path): return path
        case .variable: return Self.variableName
        }
    }

    /// The limit on the bytes of a key file.
    private static let longest = 256

    private static func refuseOpen(_ path: String) throws(CommandError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw refusal(.unreadable(code: errno), path) }
        guard status.st_mode & 0o077 == 0 else {
            throw .usage(
                "the key \(path) can be accessed by other accounts: run `chmod 600` on it, and generate a new key if "
                    + "another account may have read it")
        }
    }

    private static func refusal(_ error: SmallFileError, _ path: String) -> CommandError {
        .usage(error.message(path, of: "key"))
    }

    /// Returns the key in a file: its raw bytes, or their text form.
    ///
    /// Throws a usage error for 32 bytes of text: as raw bytes they would be a key of half the intended strength.
    private static func key(inFile path: String) throws(CommandError) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(SmallFileError) {
            bytes = try SmallFile.read(path, upTo: longest)
        } catch {
            throw refusal(error, path)
        }
        guard bytes.count == AESKeySealer.keyLength else { return key(written: String(decoding: bytes, as: UTF8.self)) }
        guard !bytes.allSatisfy({ isWritten($0) }) else {
            throw .usage(
                "\(path) contains 32 characters, which is too short for a key as text: 32 random bytes are 64 hex digits "
                    + "or 44 characters of base64. \(advice)")
        }
        return bytes
    }

    /// Returns whether a byte is printable ASCII or white space.
    private static func isWritten(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || (0x09...0x0D).contains(byte)
    }

    private static func key(written text: String) -> [UInt8]? {
        let word = text.split(whereSeparator: \.isWhitespace)
        guard word.count == 1, let word = word.first.map(String.init) else { return nil }
        let key = word.utf8.count == 2 * AESKeySealer.keyLength ? Hex.decode(word.lowercased()) : Base64.decode(word)
        return key?.count == AESKeySealer.keyLength ? key : nil
    }
}
