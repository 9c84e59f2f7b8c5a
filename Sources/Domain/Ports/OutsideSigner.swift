/// A signer with private halves that are not on the server.
package protocol OutsideSigner: Sendable {
    /// Returns the external signer's Ed25519 signature, unverified; blocks for some seconds at most.
    ///
    /// Throws `signingFailed`.
    func sign(_ message: [UInt8], by key: AppKey) throws(PlatformError) -> [UInt8]
}
