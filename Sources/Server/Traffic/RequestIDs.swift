/// Makes ids for requests that came without one: 16 hex digits, unlike all others of the same process.
struct RequestIDs {
    /// The places of different loops and processes in the sequence are far apart.
    private var last = UInt64.random(in: .min ... .max)

    mutating func next() -> [UInt8] {
        last &+= 1
        let digits = Array("0123456789abcdef".utf8)
        return (0..<16).map { digits[Int(last >> UInt64(60 - 4 * $0) & 0xF)] }
    }
}
