extension RequestHead {
    /// Whether If-None-Match names this entity tag, or is `*`, so that 304 is the answer to a `GET`.
    ///
    /// Compares bytes and allocates nothing where there is one such field, as usual.
    package func matchesETag(_ etag: [UInt8]) -> Bool {
        guard let first = bytes(of: .ifNoneMatch) else { return false }
        if EntityTag.list(first, names: etag, weakly: true) { return true }
        return allBytes(of: .ifNoneMatch).dropFirst().contains { EntityTag.list($0, names: etag, weakly: true) }
    }

    /// All values of a field, as bytes, in order.
    func allBytes(of name: FieldName) -> [ArraySlice<UInt8>] {
        fields.filter { matches($0.name, name.lowercased) }.map { bytes[$0.value] }
    }
}
