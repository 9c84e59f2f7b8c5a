import HTTP

/// The properties of every target that a peer may send.
public enum RouterProbe {
    private static let patterns = [
        "/", "/config", "/apps/{a}", "/apps/{a}/packages/{b}", "/apps/fixed/packages/{b}", "/files/{a}/{rest...}",
        "/é/{a}",
    ]

    private static let router: Router<Void> = {
        var router = Router<Void>()
        for pattern in patterns { router.add(.get, pattern, ()) }
        router.add(.put, "/config", ())
        return router
    }()

    /// Returns the violated property of a target, or `nil` if all hold or the head is rejected.
    public static func finding(in target: [UInt8]) -> String? {
        guard let head = head(target) else { return nil }
        switch router.match(.get, head) {
        case .found(_, let parameters, let route):
            return fault(of: head) ?? fault(of: parameters, route)
        case .notFound, .methodNotAllowed: return fault(of: head)
        case .badPath, .server: return nil
        }
    }

    private static func head(_ target: [UInt8]) -> RequestHead? {
        let bytes = Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        var parser = HeadParser()
        var head = RequestHead()
        let outcome = try? parser.parse(bytes, bytes.indices, into: &head)
        return outcome == .complete(end: bytes.count) ? head : nil
    }

    /// Returns the reason why an accepted path should have been rejected, by a second check of all escapes and slashes.
    private static func fault(of head: RequestHead) -> String? {
        let path = head.bytes[head.pathRange]
        let text = String(decoding: path, as: UTF8.self)
        for escape in ["%2f", "%5c", "%00", "%0a", "%0d"] where text.lowercased().contains(escape) {
            return "\(escape) in \(text)"
        }
        var decoded: [UInt8] = []
        var index = path.startIndex
        while index < path.endIndex {
            guard path[index] == 0x25 else {
                decoded.append(path[index])
                index += 1
                continue
            }
            guard index + 2 < path.endIndex,
                let byte = UInt8(String(decoding: path[index + 1...index + 2], as: UTF8.self), radix: 16)
            else { return "a broken escape in \(text)" }
            decoded.append(byte)
            index += 3
        }
        guard String(validating: decoded, as: UTF8.self) != nil else { return "not UTF-8: \(text)" }
        let segments = decoded.split(separator: 0x2F)
        return segments.lazy.compactMap { faultOfSegment($0) }.first.map { "\($0) in \(text)" }
    }

    private static func faultOfSegment(_ segment: some Collection<UInt8>) -> String? {
        if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) { return "a dot segment" }
        return segment.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x5C || $0 == 0x2F } ? "a forbidden byte" : nil
    }

    /// Returns the fault of placeholders whose values break the guarantees, or lead elsewhere when encoded again.
    private static func fault(of parameters: PathValues, _ route: RouteID) -> String? {
        let pattern = router.names[Int(route.index)].trimmingPrefix("GET ")
        var target = ""
        for segment in pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard segment.hasPrefix("{") else {
                target += "/" + encoded(segment.utf8)
                continue
            }
            let isRest = segment.hasSuffix("...}")
            let name = String(segment.dropFirst().dropLast(isRest ? 4 : 1))
            guard let value = parameters[name] else { return "no \(name)" }
            // By bytes: some letters form one character with a following slash.
            let parts = value.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
            if !isRest, parts.count != 1 || value.isEmpty { return "\(name) is \(value)" }
            if parts.dropLast().contains(where: \.isEmpty) { return "an empty segment in \(value)" }
            if let fault = parts.lazy.compactMap({ faultOfSegment($0) }).first { return "\(fault) in \(value)" }
            target += "/" + parts.map { encoded($0) }.joined(separator: "/")
        }
        guard let head = head(Array(target.utf8)), case .found(_, let again, route) = router.match(.get, head),
            again == parameters
        else { return "\(target) leads elsewhere than \(pattern)" }
        return nil
    }

    /// Returns the canonical form, in which every other byte than an unreserved character is escaped.
    private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
            default: "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }.joined()
    }
}
