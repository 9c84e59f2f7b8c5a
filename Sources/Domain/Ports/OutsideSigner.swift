/// Signs with private halves that are not on the server.
package protocol OutsideSigner: Sendable {
    /// What is said to be the Ed25519 signature by a key over a message; blocks, for some seconds at most.
    ///
    /// Throws `signingFailed`.
    func sign(_ message: [UInt8], by key: AppKey) throws(PlatformError) -> [UInt8]
}
