import Artifacts
import Domain
import Ground
import Testing

@testable import Store

/// The examples of "Authenticating Requests: Using the Authorization Header" in the reference of Amazon S3.
struct SigV4Tests {
    /// 2013-05-24T00:00:00Z.
    private let instant = Timestamp(milliseconds: 1_369_353_600_000)
    private let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func makeSigner(sessionToken: String? = nil) throws -> SigV4 {
        let credentials = try #require(
            S3Credentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                sessionToken: sessionToken))
        return SigV4(credentials: credentials, region: "us-east-1", cryptography: OpenSSLCryptography())
    }

    private func signature(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        _ fields: [(name: String, value: String)] = [], payload: String
    ) throws -> String {
        let authorization = try makeSigner().authorization(
            method, path: path, query: query,
            fields: fields + [
                (name: "host", value: "examplebucket.s3.amazonaws.com"),
                (name: "x-amz-content-sha256", value: payload), (name: "x-amz-date", value: SigV4.date(instant)),
            ], payload: payload, at: instant)
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="))
        return try #require(authorization.split(separator: "=").last.map(String.init))
    }

    @Test func `a GET of a range has the published signature`() throws {
        #expect(
            try signature("GET", "/test.txt", [(name: "range", value: "bytes=0-9")], payload: empty)
                == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `a PUT has the published signature`() throws {
        #expect(
            try signature(
                "PUT", "/test%24file.text",
                [
                    (name: "date", value: "Fri, 24 May 2013 00:00:00 GMT"),
                    (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
                ],
                payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
                == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func `a query without a value has the published signature`() throws {
        #expect(
            try signature("GET", "/", query: [(name: "lifecycle", value: "")], payload: empty)
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    @Test func `a query of several parameters has the published signature`() throws {
        #expect(
            try signature(
                "GET", "/", query: [(name: "prefix", value: "J"), (name: "max-keys", value: "2")], payload: empty)
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    /// The example of "Authenticating Requests: Using Query Parameters".
    @Test func `a URL that is valid for a day has the published signature`() throws {
        func query(_ token: String? = nil) throws -> [Substring] {
            try makeSigner(sessionToken: token).signedQuery(
                "GET", path: "/test.txt", query: [], host: "examplebucket.s3.amazonaws.com", validFor: .seconds(86_400),
                at: instant
            ).split(separator: "&")
        }
        #expect(
            try query() == [
                "X-Amz-Algorithm=AWS4-HMAC-SHA256",
                "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
                "X-Amz-Date=20130524T000000Z", "X-Amz-Expires=86400", "X-Amz-SignedHeaders=host",
                "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
            ])
        // The token of temporary credentials is a part of the URL.
        let temporary = try query("a+b")
        #expect(temporary.contains("X-Amz-Security-Token=a%2Bb") && temporary.last?.hasSuffix("d404") == false)
    }

    @Test func `an HMAC with a key longer than a block is that of RFC 4231`() {
        let code = OpenSSLCryptography().hmacSHA256(
            of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: Array(repeating: 0xAA, count: 131))
        #expect(Hex.encode(code) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
