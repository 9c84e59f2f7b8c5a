import Ground
import HTTP

/// A generator of ids for requests that have none: 16 hexadecimal digits, unique within the process.
struct RequestIDs {
    /// The last number, random at first, so that the sequences of loops and processes are far apart.
    private var last = UInt64.random(in: .min ... .max)

    mutating func next() -> [UInt8] {
        last &+= 1
        return Array(Hex.encode((0..<8).map { UInt8(truncatingIfNeeded: last >> UInt64(56 - 8 * $0)) }).utf8)
    }
}

extension RequestHead {
    /// The maximum length of an id that is returned and logged.
    static let requestIDBytes = 128

    /// The id that the client gave its request; empty without a valid one.
    ///
    /// An id consists of letters, digits and `-._~+/=:`, which are safe in any log.
    var requestID: ArraySlice<UInt8> {
        guard let id = bytes(of: .xRequestID), (1...Self.requestIDBytes).contains(id.count),
            id.allSatisfy(Self.isSafe)
        else { return [] }
        return id
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~+/=:".utf8.contains(byte)
    }
}
