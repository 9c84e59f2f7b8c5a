import HTTP

/// The properties of every stream of bytes that a peer may send as requests.
public enum ParserProbe {
    /// Limits small enough for an input of a fuzzer to exceed every one of them.
    static let limits: Limits = {
        var limits = Limits()
        limits.headBytes = 400
        limits.targetBytes = 100
        limits.fieldCount = 8
        limits.chunkLineBytes = 48
        limits.chunkOverheadBytes = 64
        limits.trailerBytes = 64
        return limits
    }()

    /// Returns the violated property of the input, cuts and then requests, or `nil` if all hold.
    public static func finding(in input: [UInt8]) -> String? {
        guard let input = CutInput(input) else { return nil }
        let whole = MessageReader.read(input.bytes, limits: limits)
        if let fault = whole.fault { return "\(fault) in \(whole.events)" }
        for cuts in [input.cuts, Array(input.bytes.indices)] {
            let cut = MessageReader.read(input.bytes, cuts: cuts, limits: limits)
            if cut.events != whole.events { return "cut at \(cuts): \(cut.events) and not \(whole.events)" }
        }
        return faultOfBodies(whole.events)
    }

    /// Checks that a body has its declared length and no more bytes than were received.
    private static func faultOfBodies(_ events: [MessageReader.Event]) -> String? {
        var declared: Int?
        var count = 0
        for event in events {
            switch event {
            case .head(let facts):
                count = 0
                declared = if case .length(let length) = facts.framing { length } else { nil }
            case .body(let bytes): count = bytes.count
            case .end where declared != nil && declared != count: return "a body of \(count) bytes in \(events)"
            case .end, .refused: break
            }
        }
        return nil
    }
}
