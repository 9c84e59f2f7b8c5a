/// One signature over an artifact.
package struct Signature: Sendable, Equatable {
    package let purpose: KeyPurpose
    package let keyID: KeyID
    package let value: [UInt8]

    package init(purpose: KeyPurpose, keyID: KeyID, value: [UInt8]) {
        self.purpose = purpose
        self.keyID = keyID
        self.value = value
    }
}
