import Ground
import HTTP

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
