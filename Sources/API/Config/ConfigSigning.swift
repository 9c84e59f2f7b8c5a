import Domain
import Platform

/// The signing of a `/config` response: none, or by the keys of the app.
enum ConfigSigning: Sendable {
    case unsigned
    case signed(ResponseSigner)

    /// Returns the signing of the response to a request; `nil` if the app's keys must be read first.
    ///
    /// Throws `signingFailed` if the signature is required and the private halves of all signing keys are external: a
    /// device's request never makes the server run a command (decision 0028).
    static func known(for request: ConfigRequest, _ keys: KeyRing) throws(PlatformError) -> ConfigSigning? {
        guard request.signature != .none else { return .unsigned }
        return try keys.knownResponseSigner(of: request.base.app).map { signer throws(PlatformError) in
            try ConfigSigning(signer, for: request)
        }
    }

    /// Returns the signing of the response to a request; reads the keys if they have changed.
    ///
    /// Returns `unsigned` if the keys cannot be read and the signature is optional.
    static func current(
        for request: ConfigRequest, _ keys: KeyRing, _ log: any Log
    ) async throws(PlatformError) -> ConfigSigning {
        guard request.signature != .none else { return .unsigned }
        do throws(PlatformError) {
            return try ConfigSigning(try await keys.responseSigner(of: request.base.app), for: request)
        } catch {
            guard request.signature == .optional else { throw error }
            logFailure(error, to: log)
            return .unsigned
        }
    }

    private init(_ signer: ResponseSigner, for request: ConfigRequest) throws(PlatformError) {
        if signer.keyIDs.isEmpty {
            guard request.signature == .optional else {
                throw PlatformError(
                    .signingFailed,
                    "The private halves of all signing keys of '\(request.base.app)' are outside the server, but only the "
                        + "server signs responses. Generate a signing key on the server, or send the request without signed=1."
                )
            }
            self = .unsigned
        } else {
            self = .signed(signer)
        }
    }

    /// Logs the reason for which a request with an optional signature gets an unsigned response.
    static func logFailure(_ error: PlatformError, to log: any Log) {
        log.write("config.unsigned", ["code": error.code.rawValue, "cause": error.cause ?? error.message])
    }
}
