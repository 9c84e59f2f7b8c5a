extension RequestHead {
    /// Reads a complete head; anything after it is ignored.
    ///
    /// For callers that have the whole text at hand, such as tests; a server uses ``HeadParser``. An incomplete head
    /// is malformed.
    package init(parsing text: String, limits: Limits = Limits()) throws(HeadError) {
        self.init()
        var parser = HeadParser(limits: limits)
        let bytes = Array(text.utf8)
        guard case .complete = try parser.parse(bytes, bytes.indices, into: &self) else { throw .malformed }
    }
}
