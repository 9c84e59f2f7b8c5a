import Ground

/// The authority of a request, `host [":" port]`, in `Host` and in absolute-form targets (RFC 9110 §4.2, §7.2).
///
/// User information is rejected as RFC 9110 §4.2.4 advises, and so is a comma, which joins two values.
enum Authority {
    private static let addressBytes = 45

    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0 else { return false }
        let host = bytes[0] == ASCII.openBracket ? endOfAddress(bytes) : endOfName(bytes)
        guard let host, host > 0 else { return false }
        return host == bytes.count || bytes[host] == ASCII.colon && isPort(bytes, from: host + 1)
    }

    /// Returns the end of a registered name or IPv4 address (RFC 3986 §3.2.2).
    private static func endOfName(_ bytes: Span<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            if ASCII.isHost(bytes[index]) {
                index += 1
            } else if bytes[index] == ASCII.percent {
                guard index + 2 < bytes.count, ASCII.hexadecimal(bytes[index + 1]) != nil,
                    ASCII.hexadecimal(bytes[index + 2]) != nil
                else { return nil }
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// Returns the end of an IPv6 address in brackets, without validating its groups.
    private static func endOfAddress(_ bytes: Span<UInt8>) -> Int? {
        var index = 1
        var colons = 0
        while index < bytes.count, bytes[index] != ASCII.closeBracket {
            switch bytes[index] {
            case ASCII.colon: colons += 1
            case ASCII.dot: break
            case let byte: guard ASCII.hexadecimal(byte) != nil else { return nil }
            }
            index += 1
        }
        guard index < bytes.count, index - 1 <= addressBytes, (2...7).contains(colons) else { return nil }
        return index + 1
    }

    private static func isPort(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        var port = 0
        for index in start..<bytes.count {
            guard ASCII.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
            guard port <= 65_535 else { return false }
        }
        return true
    }
}
