/// A generator of ids for requests that have none: 16 hexadecimal digits, unique within the process.
struct RequestIDs {
    /// The last number, random at first, so that the sequences of loops and processes are far apart.
    private var last = UInt64.random(in: .min ... .max)

    mutating func next() -> [UInt8] {
        last &+= 1
        let digits = Array("0123456789abcdef".utf8)
        return (0..<16).map { digits[Int(last >> UInt64(60 - 4 * $0) & 0xF)] }
    }
}
