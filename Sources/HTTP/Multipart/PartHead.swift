import Ground

/// The head of a form's part (RFC 7578 §4).
package struct PartHead: Hashable, Sendable {
    /// The name of the form's field.
    package let name: String
    /// The file name that the client sent; not trustworthy as a path.
    package let filename: String?
    package let contentType: String?

    /// Reads the field lines of a part, without their CRLF.
    init(_ lines: [ArraySlice<UInt8>]) throws(MultipartError) {
        var disposition: ParameterList?
        var contentType: String?
        for line in lines {
            guard let colon = line.firstIndex(of: ASCII.colon), colon > line.startIndex,
                line[..<colon].allSatisfy(ASCII.isToken), line[colon...].allSatisfy(ASCII.isFieldValue)
            else { throw .malformed }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            switch FieldName(String(decoding: line[..<colon], as: UTF8.self)) {
            case .contentDisposition:
                guard disposition == nil else { throw .malformed }
                disposition = ParameterList(value)
            case .contentType: contentType = ParameterList(value)?.value
            default: break
            }
        }
        guard let disposition, disposition.value == "form-data", let name = disposition["name"] else {
            throw .malformed
        }
        self.name = name
        filename = disposition["filename"]
        self.contentType = contentType
    }
}
