extension Method {
    /// Reads a method token; the common methods are recognised without allocating a string.
    init(_ bytes: Span<UInt8>) {
        switch bytes.count {
        case 3 where bytes.equals("GET"): self = .get
        case 3 where bytes.equals("PUT"): self = .put
        case 4 where bytes.equals("POST"): self = .post
        case 4 where bytes.equals("HEAD"): self = .head
        case 5 where bytes.equals("PATCH"): self = .patch
        case 6 where bytes.equals("DELETE"): self = .delete
        case 7 where bytes.equals("OPTIONS"): self = .options
        default:
            var token = ""
            for index in bytes.indices { token.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
            self.init(token)
        }
    }
}
