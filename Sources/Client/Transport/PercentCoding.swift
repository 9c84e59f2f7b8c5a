/// Percent-encoding of what goes into a path or a query (RFC 3986 §2).
package enum PercentCoding {
    /// Everything but unreserved characters is encoded.
    package static func encode(_ text: String) -> String {
        var output = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                output.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                output += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return output
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
