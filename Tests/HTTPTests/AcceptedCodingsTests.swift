import HTTP
import Testing

struct AcceptedCodingsTests {
    /// Returns the accepted codings of a resource, best first.
    private func codings(
        _ lines: [String], having all: Set<ContentCoding> = Set(ContentCoding.allCases)
    ) throws -> String {
        let fields = lines.map { "Accept-Encoding: \($0)\r\n" }.joined()
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        let accepted = AcceptedCodings(head)
        let body = CodedBody(
            [0], gzip: all.contains(.gzip) ? [1] : nil, brotli: all.contains(.brotli) ? [2] : nil)
        let response = PreparedResource(body, etagName: "e", fields: [:]).respond(to: head)
        let names = ContentCoding.allCases.filter(accepted.accepts).map { "\($0)" }.joined(separator: " ")
        return "\(["identity", "gzip", "brotli"][Int(response.bytes?.first ?? 0)]): \(names)"
    }

    @Test(arguments: [
        // Without the field, or with nothing else in it: identity.
        ([], "identity: identity"), ([""], "identity: identity"), (["identity"], "identity: identity"),
        (["deflate"], "identity: identity"), (["zstd, dcb"], "identity: identity"),
        // The values of browsers and libraries, by the fast path and by the general one.
        (["gzip"], "gzip: identity gzip"), (["gzip, deflate"], "gzip: identity gzip"),
        (["gzip, deflate, br"], "brotli: identity gzip brotli"),
        (["gzip, deflate, br, zstd"], "brotli: identity gzip brotli"), (["br"], "brotli: identity brotli"),
        (["gzip,deflate"], "gzip: identity gzip"), (["deflate, gzip;q=1.0, *;q=0.5"], "gzip: identity gzip brotli"),
        (["br;q=1.0, gzip;q=0.8, *;q=0.1"], "brotli: identity gzip brotli"), (["GZip"], "gzip: identity gzip"),
        (["x-gzip"], "gzip: identity gzip"), (["BR , X-GZIP"], "brotli: identity gzip brotli"),
        // Weights.
        (["gzip;q=0.5, br;q=0.4"], "gzip: identity gzip brotli"),
        (["gzip;q=0.5, br;q=0.5"], "brotli: identity gzip brotli"),
        (["gzip;q=0.001, identity;q=0.002"], "identity: identity gzip"),
        (["gzip;q=0.5, identity;q=0.5"], "gzip: identity gzip"), (["gzip;q=0.001"], "gzip: identity gzip"),
        (["gzip;q=0"], "identity: identity"), (["gzip;q=0.000, br"], "brotli: identity brotli"),
        (["gzip ;\tQ=0.9 , br;q=1"], "brotli: identity gzip brotli"),
        // The other codings by `*`.
        (["*"], "brotli: identity gzip brotli"), (["*;q=0.1"], "brotli: identity gzip brotli"),
        (["gzip, *;q=0"], "gzip: gzip"), (["br;q=0, *"], "gzip: identity gzip"),
        (["*;q=0"], "identity: "), (["identity;q=0"], "identity: "), (["identity;q=0, *;q=0.1"], "brotli: gzip brotli"),
        (["identity, *;q=0"], "identity: identity"), (["gzip, identity;q=0"], "gzip: gzip"),
        // Malformed and empty elements are ignored.
        (["gzip;q=2"], "identity: identity"), (["gzip;q=1.001"], "identity: identity"),
        (["gzip;q=0.1234"], "identity: identity"), (["gzip;q="], "identity: identity"),
        (["gzip;q=-1"], "identity: identity"), (["gzip;level=9"], "identity: identity"),
        (["gzip;"], "identity: identity"), (["gzip q=1"], "identity: identity"), (["gzip=1"], "identity: identity"),
        ([";q=1,,br"], "brotli: identity brotli"), ([",gzip,"], "gzip: identity gzip"),
        (["gzip;q=0.5x"], "identity: identity"), (["gzi, gzipp, b, brr"], "identity: identity"),
        (["gzip;q=1.000"], "gzip: identity gzip"), (["gzip;q=0."], "identity: identity"),
        // Several lines form one list.
        (["deflate", "gzip"], "gzip: identity gzip"), (["gzip", "br"], "brotli: identity gzip brotli"),
        (["gzip", "gzip;q=0"], "identity: identity"),
    ])
    func `a coding is chosen by its weight`(lines: [String], expected: String) throws {
        #expect(try codings(lines) == expected)
    }

    @Test func `a coding that a resource lacks is not chosen`() throws {
        #expect(try codings(["br, gzip;q=0.1"], having: [.gzip]).hasPrefix("gzip"))
        #expect(try codings(["gzip"], having: [.brotli]).hasPrefix("identity"))
        #expect(try codings(["gzip, br, identity;q=0"], having: []).hasPrefix("identity"))
    }
}
