import HTTP
import Testing

struct FieldsTests {
    @Test func `a field is found whatever the case of its name`() {
        let fields: Fields = [.contentType: "text/html"]
        #expect(fields["content-TYPE"] == "text/html")
        #expect(fields[.date] == nil)
    }

    @Test func `setting a field replaces it where it stands`() {
        var fields: Fields = [.etag: "\"a\"", .vary: "Accept"]
        fields[.etag] = "\"b\""
        #expect(fields.all.map(\.value) == ["\"b\"", "Accept"])
        fields[.etag] = nil
        #expect(fields.all.count == 1)
    }
}
