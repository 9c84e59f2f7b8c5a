import Domain
import Execution
import Ground

/// A signer that runs a program, with the message on standard input and the key's id in the environment.
struct CommandSigner: OutsideSigner {
    /// The program's path and its arguments.
    let command: [String]

    static let timeLimit = Duration.seconds(10)
    private static let signatureLength = 64
    /// The limit on the output, which exceeds a signature in base64 with line feeds.
    private static let outputLimit = 256

    /// Splits the command at spaces; fails unless the first word is an absolute path.
    init?(_ text: String) {
        command = text.split(separator: " ").map(String.init)
        guard command.first?.hasPrefix("/") == true else { return nil }
    }

    func sign(_ message: [UInt8], by key: AppKey) throws(PlatformError) -> [UInt8] {
        let run = ProgramRun(
            command: command,
            environment: [
                "PATH": "/usr/local/bin:/usr/bin:/bin", "LARDER_SIGN_APP": key.app.text,
                "LARDER_SIGN_PURPOSE": key.purpose.rawValue, "LARDER_SIGN_KEY": key.id.text,
            ], timeLimit: Self.timeLimit, outputLimit: Self.outputLimit)
        let output: [UInt8]
        do throws(ProgramRun.Failure) { output = try run.output(for: message) } catch {
            throw Self.failure(key, "\(error)")
        }
        if output.count == Self.signatureLength { return output }
        // The base64 of openssl(1) has two lines.
        let text = String(decoding: output, as: UTF8.self).filter { !$0.isWhitespace }
        guard let signature = Base64.decode(text), signature.count == Self.signatureLength else {
            throw Self.failure(key, "its output of \(output.count) bytes is not a signature")
        }
        return signature
    }

    private static func failure(_ key: AppKey, _ why: String) -> PlatformError {
        PlatformError(
            .signingFailed,
            "The command that signs with the key \(key.id) failed: \(why). Nothing was changed. Try again when the command "
                + "works, or retire the key.")
    }
}
