import Domain
import Ground
import Testing

/// Tests the parsing of identity tokens and the rules for their claims, without signatures.
struct IdentityTokenTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)
    private static let second: Int64 = 1_767_225_600

    private static func part(_ text: String) -> String {
        Base64.encode(Array(text.utf8)).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func token(_ claims: String, header: String = #"{"alg":"RS256","kid":"a"}"#) -> String {
        "\(part(header)).\(part(claims)).AAAA"
    }

    private func claims(_ text: String) throws -> IdentityClaims { try IdentityToken(parsing: Self.token(text)).claims }

    private func fault(_ text: String) throws -> String? {
        let claims = try claims(text)
        do throws(IdentityTokenFault) {
            try claims.require(issuer: "https://ci.example", audience: "larder", at: Self.now)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(arguments: [
        "", "a.b", "a.b.c.d", "\(part("{}")).\(part("{}")).", "\(part("[]")).\(part("{}")).AAAA",
        "\(part(#"{"alg":"RS256"}"#)).\(part("1")).AAAA", "\(part(#"{"alg":"RS256"}"#)).\(part("{}")).A",
        "\(part(#"{"alg":"RS256"}"#)).\(part("{}")).AA+A", "\(part(#"{"alg":"RS256"}"#)).\(part("{}")).AAA=",
    ])
    func `another text is no identity token`(text: String) {
        #expect(throws: IdentityTokenFault.self) { try IdentityToken(parsing: text) }
    }

    @Test func `a token has up to 16 KiB`() throws {
        let frame = Self.token(#"{"a":""}"#).utf8.count
        // Four characters for three bytes.
        let room = (IdentityToken.maximumLength - frame) / 4 * 3
        let longest = Self.token(#"{"a":"\#(String(repeating: "x", count: room))"}"#)
        #expect(longest.utf8.count <= IdentityToken.maximumLength)
        #expect(try IdentityToken(parsing: longest).keyID == "a")
        #expect(throws: IdentityTokenFault.self) { try IdentityToken(parsing: longest + "AAAA") }
    }

    @Test func `issuer and audience must be the expected ones`() throws {
        let time = #""exp":\#(Self.second + 1)"#
        #expect(try fault(#"{"iss":"https://ci.example","aud":"larder",\#(time)}"#) == nil)
        #expect(try fault(#"{"iss":"https://ci.example","aud":["other","larder"],\#(time)}"#) == nil)
        #expect(try fault(#"{"iss":"https://ci.example/","aud":"larder",\#(time)}"#)?.contains("issuer") == true)
        #expect(try fault(#"{"aud":"larder",\#(time)}"#)?.contains("issuer") == true)
        #expect(try fault(#"{"iss":"https://ci.example","aud":"Larder",\#(time)}"#)?.contains("audience") == true)
        #expect(try fault(#"{"iss":"https://ci.example","aud":[],\#(time)}"#)?.contains("audience") == true)
        #expect(try fault(#"{"iss":"https://ci.example",\#(time)}"#)?.contains("audience") == true)
    }

    @Test(arguments: [
        (#""exp":\#(second - 59)"#, true), (#""exp":\#(second - 60)"#, false), (#""exp":\#(second - 59).9"#, true),
        (#""exp":"\#(second + 1)""#, false), (#""exp":1e12"#, false), (#""exp":-1"#, false),
        (#""exp":9223372036854775807"#, false), (#""sub":"x""#, false),
        (#""exp":\#(second + 9),"nbf":\#(second + 60)"#, true), (#""exp":\#(second + 9),"nbf":\#(second + 61)"#, false),
        (#""exp":\#(second + 9),"iat":\#(second + 61)"#, false), (#""exp":\#(second + 9),"iat":"now""#, false),
    ])
    func `times count with a minute of tolerance`(members: String, isValid: Bool) throws {
        let fault = try fault(#"{"iss":"https://ci.example","aud":"larder",\#(members)}"#)
        #expect((fault == nil) == isValid, "\(fault ?? "")")
    }

    @Test func `a key set leaves out keys for other uses and of other kinds`() throws {
        let n = Self.part(String(repeating: "é", count: 128))
        let x = Self.part(String(repeating: "x", count: 32))
        func count(_ key: String) -> Int? { IssuerKeySet(parsing: Array(#"{"keys":[\#(key)]}"#.utf8))?.keys.count }
        #expect(count(#"{"kty":"RSA","n":"\#(n)","e":"AQAB"}"#) == 1)
        #expect(count(#"{"kty":"RSA","n":"\#(n)","e":"AQAB","use":"enc"}"#) == 0)
        #expect(count(#"{"kty":"RSA","n":"\#(n)","e":"AQAB","alg":"RS512"}"#) == 0)
        #expect(count(#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#) == 0)
        #expect(count(#"{"kty":"RSA","n":"\#(Self.part(String(repeating: "é", count: 513)))","e":"AQAB"}"#) == 0)
        #expect(count(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#) == 1)
        #expect(count(#"{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(x)"}"#) == 0)
        #expect(count(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"AAAA"}"#) == 0)
        #expect(count(#"{"kty":"oct","k":"AAAA"}"#) == 0)
        #expect(IssuerKeySet(parsing: Array("[]".utf8)) == nil)
        let many = Array(repeating: #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#, count: 101)
        #expect(count(many.joined(separator: ",")) == IssuerKeySet.maximumCount)
    }
}
