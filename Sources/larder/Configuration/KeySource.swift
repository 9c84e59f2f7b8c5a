import Artifacts
import Domain
import Ground

/// The source of a secret key: the one that seals private halves, or the one under which device ids are hashed.
enum KeySource: Equatable {
    case file(String)
    /// The environment variable ``variableName``.
    case variable
    /// A file that systemd has created for this service only.
    case credential(String)

    static let variableName = "LARDER_KEY"
    /// The name of the credential in the unit (`LoadCredential=`).
    static let credentialName = "larder-key"

    /// Selects the configured file, else the variable, else the credential; fails if there is none.
    ///
    /// Throws a usage error if both a file and the variable are given.
    init?(file path: String, _ environment: [String: String]) throws(CommandError) {
        let isSet = environment[Self.variableName].map { !$0.isEmpty } ?? false
        if !path.isEmpty {
            guard !isSet else { throw .usage("--key-file and \(Self.variableName) are both set: remove one of them") }
            self = Self.file(at: path, environment)
        } else if isSet {
            self = .variable
        } else if let path = SecretFile.credential(Self.credentialName, environment) {
            self = .credential(path)
        } else {
            return nil
        }
    }

    /// Returns the source for a configured file.
    static func file(at path: String, _ environment: [String: String]) -> KeySource {
        SecretFile.isCredential(path, environment) ? .credential(path) : .file(path)
    }

    /// Reads the key that seals private halves; throws a usage error with instructions if there is no valid key, or
    /// others can read it.
    func sealer(_ environment: [String: String]) throws(CommandError) -> any KeySealer {
        let advice =
            "If private keys are encrypted already, give their key; otherwise generate one with `openssl rand -hex 32`"
        let key = try bytes(environment, advice, "generate a new key")
        guard let sealer = AESKeySealer(key: key) else { throw missing(advice) }
        return sealer
    }

    /// Reads the key under which device ids are hashed; throws like ``sealer(_:)``.
    func deviceIDSecret(_ environment: [String: String]) throws(CommandError) -> [UInt8] {
        try bytes(
            environment,
            "If device ids are hashed already, give their key; otherwise generate one with `openssl rand -hex 32`",
            "read 'Hashing device ids' in docs/operations.md (with a new key every device is a new one)")
    }

    /// - Parameter remedy: The advice if other accounts may have read the key.
    private func bytes(
        _ environment: [String: String], _ advice: String, _ remedy: String
    ) throws(CommandError) -> [UInt8] {
        let key: [UInt8]?
        switch self {
        case .file(let path):
            try SecretFile.requirePrivate(path, of: "key", remedy)
            key = try Self.key(inFile: path, advice)
        case .credential(let path): key = try Self.key(inFile: path, advice)
        case .variable: key = Self.key(written: environment[Self.variableName] ?? "")
        }
        guard let key else { throw missing(advice) }
        return key
    }

    private func missing(_ advice: String) -> CommandError {
        .usage("\(name) contains no key: a key is 32 random bytes, raw, in hex or in base64. \(advice)")
    }

    private var name: String {
        switch self {
        case .file(let path), .credential(let path): return path
        case .variable: return Self.variableName
        }
    }

    /// The limit on the bytes of a key file.
    private static let longest = 256

    /// Returns the key in a file: its raw bytes, or their text form.
    ///
    /// Throws a usage error for 32 bytes of text: as raw bytes they would be a key of half the intended strength.
    private static func key(inFile path: String, _ advice: String) throws(CommandError) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(SmallFileError) {
            bytes = try SmallFile.read(path, upTo: longest)
        } catch {
            throw .usage(error.message(path, of: "key"))
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
