extension [UInt8] {
    /// The integer at an offset, lowest byte first, as zips hold all of theirs.
    ///
    /// The bytes must be there: records are read at their fixed lengths before.
    func littleEndian<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self, at offset: Int) -> Integer {
        var value: Integer = 0
        for index in 0..<Integer.bitWidth / 8 {
            value |= Integer(truncatingIfNeeded: self[offset + index]) << (8 * index)
        }
        return value
    }

    /// Appends an integer, lowest byte first.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for index in 0..<value.bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }
}
