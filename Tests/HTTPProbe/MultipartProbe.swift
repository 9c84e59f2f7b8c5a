import HTTP

/// The properties of every body that a peer may send as a form.
public enum MultipartProbe {
    static let boundary = "XX"
    static let limits: MultipartParser.Limits = {
        var limits = MultipartParser.Limits()
        limits.headBytes = 160
        limits.parts = 4
        return limits
    }()

    struct Part: Hashable {
        let head: PartHead
        var content: [UInt8] = []
    }

    struct Form: Hashable {
        var parts: [Part] = []
        var hasEnded = false
        var error: MultipartError?
    }

    /// Returns the violated property of the input, cuts and then a form, or `nil` if all hold.
    public static func finding(in input: [UInt8]) -> String? {
        guard let input = CutInput(input) else { return nil }
        guard let form = read(input.bytes, cuts: input.bytes.indices) else { return "no parser" }
        for cuts in [[], input.cuts] {
            guard let cut = read(input.bytes, cuts: cuts) else { return "no parser" }
            guard isSame(cut, form) else { return "cut at \(cuts): \(cut) and not \(form)" }
        }
        guard form.parts.count <= limits.parts else { return "\(form.parts.count) parts" }
        if form.hasEnded, form.error == nil, form.parts.map(\.content) != contents(of: input.bytes) {
            return "\(form) and not \(contents(of: input.bytes))"
        }
        return nil
    }

    /// Reads a form that is sent in pieces; byte by byte if they end at every index.
    static func read(_ bytes: [UInt8], cuts: some Sequence<Int>) -> Form? {
        guard var parser = MultipartParser(contentType: "multipart/form-data; boundary=\(boundary)", limits: limits)
        else { return nil }
        var form = Form()
        var start = 0
        do throws(MultipartError) {
            for end in cuts {
                form.take(try parser.read(Array(bytes[start..<end])))
                start = end
            }
            form.take(try parser.read(Array(bytes[start...])))
        } catch {
            form.error = error
        }
        return form
    }

    /// Whether two results agree; of a rejected form, one of them may have seen more parts.
    private static func isSame(_ coarse: Form, _ fine: Form) -> Bool {
        guard coarse.error != nil, coarse.error == fine.error else { return coarse == fine }
        return coarse.parts.count <= fine.parts.count
    }

    /// Returns the contents of a valid form's parts, found by searching all of it at once.
    private static func contents(of form: [UInt8]) -> [[UInt8]] {
        let bytes = Array("\r\n".utf8) + form
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var contents: [[UInt8]] = []
        guard var rest = find(delimiter, in: bytes[...])?.rest, !rest.starts(with: "--".utf8) else { return [] }
        while let line = find(Array("\r\n".utf8), in: rest)?.rest, let head = find(Array("\r\n\r\n".utf8), in: line) {
            // The delimiter of an empty part may begin with the CRLF that ends the head.
            guard let next = find(delimiter, in: bytes[(head.rest.startIndex - 2)...]) else { break }
            contents.append(Array(head.rest[..<max(next.start, head.rest.startIndex)]))
            rest = next.rest
            if rest.starts(with: "--".utf8) { break }
        }
        return contents
    }

    private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> (start: Int, rest: ArraySlice<UInt8>)?
    {
        guard bytes.count >= pattern.count else { return nil }
        for start in bytes.startIndex...bytes.endIndex - pattern.count
        where bytes[start..<start + pattern.count].elementsEqual(pattern) {
            return (start, bytes[(start + pattern.count)...])
        }
        return nil
    }
}

extension MultipartProbe.Form {
    fileprivate mutating func take(_ events: [MultipartParser.Event]) {
        for event in events {
            switch event {
            case .head(let head): parts.append(MultipartProbe.Part(head: head))
            case .body(let bytes): parts[parts.count - 1].content += bytes
            case .end: hasEnded = true
            }
        }
    }
}
