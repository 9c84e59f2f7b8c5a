extension RequestHead {
    /// Reads a complete head and ignores everything after it.
    ///
    /// For callers that have the whole text, such as tests; a server uses ``HeadParser``. Throws
    /// ``HeadError/malformed`` for an incomplete head.
    package init(parsing text: String, limits: Limits = Limits()) throws(HeadError) {
        self.init()
        var parser = HeadParser(limits: limits)
        let bytes = Array(text.utf8)
        guard case .complete = try parser.parse(bytes, bytes.indices, into: &self) else { throw .malformed }
    }
}
