import Artifacts
@testable import Domain
import Ground
import Testing

struct SignatureBaseTests {
    private let cryptography = OpenSSLCryptography()

    /// Verifies the example of RFC 9421, appendix B.2.6.
    @Test func `the signature of the RFC's example is one over these bytes`() throws {
        let parameters = """
            ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;\
            keyid="test-key-ed25519"
            """
        let base = SignatureBase.bytes(
            of: [
                .init("date", "Tue, 20 Apr 2021 02:07:55 GMT"), .init("@method", "POST"), .init("@path", "/foo"),
                .init("@authority", "example.com"), .init("content-type", "application/json"),
                .init("content-length", "18"),
            ], parameters: parameters)
        #expect(
            String(decoding: base, as: UTF8.self) == """
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@method": POST
                "@path": /foo
                "@authority": example.com
                "content-type": application/json
                "content-length": 18
                "@signature-params": \(parameters)
                """)
        let key = try #require(Base64.decode("JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="))
        let fields = try #require(
            StructuredDictionary(
                "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"))
        guard case .bytes(let signature)? = fields["sig-b26"]?.value else {
            Issue.record("\(fields)")
            return
        }
        #expect(cryptography.verifyEd25519(signature, of: base, publicKey: key))
        #expect(!cryptography.verifyEd25519(signature, of: base + [10], publicKey: key))
    }

    @Test func `the parameters of a config signature are read as they are written`() throws {
        let id = try #require(KeyID("0123456789abcdef"))
        let text = ConfigSignature.parameters(created: 1, expires: 3601, keyID: id)
        #expect(
            text == """
                ("@status" "content-digest" "content-type" "etag" "larder-base" "larder-config-version" \
                "larder-cursor");created=1;expires=3601;keyid="0123456789abcdef";alg="ed25519";tag="larder-config"
                """)
        let member = try #require(StructuredDictionary("a=1, larder=\(text), b")?.members.dropFirst().first)
        #expect(member.key == "larder" && member.text == text)
        #expect(member.item.parameters["created"] == .integer(1) && member.item.parameters["expires"] == .integer(3601))
        #expect(member.item.parameters["keyid"] == .string(id.text))
        let items = ConfigSignature.covered.map { StructuredDictionary.Item(value: .string($0), parameters: [:]) }
        #expect(member.item.value == .list(items))
    }
}
