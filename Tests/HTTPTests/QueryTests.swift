import HTTP
import Testing

struct QueryTests {
    private func query(_ text: String) -> Query { Query(Array(text.utf8)[...]) }

    @Test func `the first value of a name counts`() {
        let query = query("a=1&b=2&a=3&&empty=&flag")
        #expect(query["a"] == "1")
        #expect(query["empty"] == "")
        #expect(query["flag"] == "")
        #expect(query["c"] == nil)
    }

    @Test func `names and values are decoded, a plus stays a plus`() {
        let query = query("v=1.0.0+5&n%61me=%E5%B0%8F%E7%B1%B3&eq=a=b&broken=100%&bytes=%FF")
        #expect(query["v"] == "1.0.0+5")
        #expect(query["name"] == "小米")
        #expect(query["eq"] == "a=b")
        #expect(query["broken"] == "100%")
        #expect(query["bytes"] == "\u{FFFD}")
    }

    @Test func `a query of 128 pairs is read, and one more is too many`() throws {
        func head(_ pairs: Int, _ between: String) throws -> RequestHead {
            let query = (1...pairs).map { "p\($0)=\($0)" }.joined(separator: between)
            return try RequestHead(parsing: "GET /a?&\(query)& HTTP/1.1\r\nHost: h\r\n\r\n")
        }
        for between in ["&", "&&&"] {
            let edge = try head(128, between)
            #expect(!edge.hasTooManyParameters)
            #expect(edge.query["p128"] == "128" && edge.query.names.count == 128)
            let past = try head(129, between)
            #expect(past.hasTooManyParameters)
            #expect(past.query["p129"] == nil && past.query["p128"] == "128")
        }
    }

    @Test func `a request without a query has an empty one`() throws {
        let head = try RequestHead(parsing: "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(head.query.isEmpty)
        #expect(head.query["a"] == nil)
    }
}
