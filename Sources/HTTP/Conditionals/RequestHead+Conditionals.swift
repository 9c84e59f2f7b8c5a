extension RequestHead {
    /// All values of a field, as bytes, in order.
    func allBytes(of name: FieldName) -> [ArraySlice<UInt8>] {
        fields.filter { matches($0.name, name.lowercased) }.map { bytes[$0.value] }
    }
}
