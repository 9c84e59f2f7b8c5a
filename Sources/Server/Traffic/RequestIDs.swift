import Ground

/// A generator of ids for requests that have none: 16 hexadecimal digits, unique within the process.
struct RequestIDs {
    /// The last number, random at first, so that the sequences of loops and processes are far apart.
    private var last = UInt64.random(in: .min ... .max)

    mutating func next() -> [UInt8] {
        last &+= 1
        return Array(Hex.encode((0..<8).map { UInt8(truncatingIfNeeded: last >> UInt64(56 - 8 * $0)) }).utf8)
    }
}
