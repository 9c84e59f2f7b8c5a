extension [UInt8] {
    /// Returns the integer at an offset in little-endian order, as in all fields of a zip.
    ///
    /// The bytes have to exist: records are read with their fixed lengths first.
    func littleEndian<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self, at offset: Int) -> Integer {
        var value: Integer = 0
        for index in 0..<Integer.bitWidth / 8 {
            value |= Integer(truncatingIfNeeded: self[offset + index]) << (8 * index)
        }
        return value
    }

    /// Appends an integer in little-endian order.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for index in 0..<value.bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }
}
