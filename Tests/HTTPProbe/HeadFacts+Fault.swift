import HTTP

extension HeadFacts {
    /// Returns the violation of the parser's guarantees by this head, if there is one.
    ///
    /// Parses the head a second time by splitting, so that an error of the parser is not repeated here.
    func fault(limits: Limits) -> String? {
        guard bytes.count <= limits.headBytes, fields.count <= limits.fieldCount else { return "past a limit" }
        var lines = Self.lines(of: bytes[...])
        guard lines.suffix(2).allSatisfy(\.isEmpty), lines.count > 2 else { return "no empty line at the end" }
        lines.removeLast(2)
        guard let first = lines.firstIndex(where: { !$0.isEmpty }), first <= limits.emptyLines else {
            return "too many empty lines"
        }
        lines.removeFirst(first)
        guard lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }) else {
            return "a control character"
        }
        return faultOfRequestLine(lines.removeFirst(), limits) ?? faultOfFields(lines) ?? faultOfFraming()
    }

    private func faultOfRequestLine(_ line: ArraySlice<UInt8>, _ limits: Limits) -> String? {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual(method.utf8) else { return "the request line" }
        guard parts[1].count <= limits.targetBytes else { return "a target past its limit" }
        guard !parts[1].contains(0x23) else { return "a fragment" }
        let version = Array(parts[2])
        guard version.count == 8, version.starts(with: "HTTP/1.".utf8) else { return "the version" }
        guard version[7] == 0x30 + UInt8(minorVersion) || version[7] > 0x31 && minorVersion == 1 else {
            return "the minor version"
        }
        guard !path.contains(0x3F), path.first == 0x2F || path == [0x2A] && method == "OPTIONS" else {
            return "the path"
        }
        guard parts[1].first != 0x2F || parts[1].elementsEqual(path + (parts[1].contains(0x3F) ? [0x3F] : []) + query)
        else { return "path and query are not the target" }
        return nil
    }

    private func faultOfFields(_ lines: [ArraySlice<UInt8>]) -> String? {
        guard lines.count == fields.count else { return "the number of fields" }
        for (line, field) in zip(lines, fields) {
            guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
                line[..<colon].elementsEqual(field.name), !field.name.contains(where: { $0 <= 0x20 || $0 >= 0x7F })
            else { return "a field's name" }
            let isReplaced = isAbsolute && field.name.lowercased == "host"
            guard isReplaced || Self.trimmed(line[(colon + 1)...]).elementsEqual(field.value) else {
                return "a field's value"
            }
        }
        let hosts = values(of: "host")
        guard hosts.count == 1 || hosts.isEmpty && minorVersion == 0 else { return "not one Host" }
        guard !hosts.contains(where: { $0.contains { " \t/?#@\\,<>\"".utf8.contains($0) } }) else {
            return "a malformed Host"
        }
        return nil
    }

    private func faultOfFraming() -> String? {
        let lengths = values(of: "content-length")
        let codings = values(of: "transfer-encoding")
        guard lengths.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return "a length that is no number"
        }
        switch framing {
        case .none:
            guard codings.isEmpty, lengths.count < 2, lengths.allSatisfy({ $0.allSatisfy { $0 == 0x30 } }) else {
                return "a body that is not there"
            }
        case .length(let length):
            guard codings.isEmpty, lengths.count == 1, Int(String(decoding: lengths[0], as: UTF8.self)) == length,
                length > 0
            else { return "the length" }
        case .chunked:
            guard codings.map(\.lowercased) == ["chunked"], lengths.isEmpty, minorVersion == 1 else { return "chunks" }
        }
        return nil
    }

    private var isAbsolute: Bool {
        bytes.split(separator: 0x20, maxSplits: 2).dropFirst().first.map { $0.first != 0x2F && $0.first != 0x2A }
            ?? false
    }

    private func values(of name: String) -> [[UInt8]] {
        fields.filter { $0.name.lowercased == name }.map(\.value)
    }

    /// Returns the bytes between the CRLFs.
    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var index = start
        while index + 1 < bytes.endIndex {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A {
                lines.append(bytes[start..<index])
                index += 2
                start = index
            } else {
                index += 1
            }
        }
        return lines + [bytes[start...]]
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? bytes.startIndex
        return bytes[..<end].drop(while: isSpace)
    }
}

extension [UInt8] {
    fileprivate var lowercased: String { String(decoding: self, as: UTF8.self).lowercased() }
}
