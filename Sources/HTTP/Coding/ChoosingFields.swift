/// The fields that select one of the prepared responses of a resource, found in one pass over a head.
struct ChoosingFields {
    /// The position of a field's first value, and whether it is the only one.
    struct Lines {
        let first: Range<Int>
        var isOnly = true
    }

    private(set) var acceptEncoding: Lines?
    private(set) var ifMatch: Lines?
    private(set) var ifNoneMatch: Lines?

    @inline(__always)
    init(_ head: RequestHead) {
        for field in head.fields {
            switch field.name.count {
            case 8 where head.matches(field.name, FieldName.ifMatch.lowercased): Self.note(field, &ifMatch)
            case 13 where head.matches(field.name, FieldName.ifNoneMatch.lowercased): Self.note(field, &ifNoneMatch)
            case 15 where head.matches(field.name, FieldName.acceptEncoding.lowercased):
                Self.note(field, &acceptEncoding)
            default: break
            }
        }
    }

    @inline(__always)
    private static func note(_ field: RequestHead.FieldSlice, _ lines: inout Lines?) {
        if lines == nil { lines = Lines(first: field.value) } else { lines?.isOnly = false }
    }
}

extension RequestHead {
    /// Whether a list of entity tags, possibly in several lines, names this tag or is `*`.
    func list(_ name: FieldName, _ lines: ChoosingFields.Lines, names etag: [UInt8], weakly: Bool) -> Bool {
        if EntityTag.list(bytes[lines.first], names: etag, weakly: weakly) { return true }
        guard !lines.isOnly else { return false }
        return allBytes(of: name).contains { EntityTag.list($0, names: etag, weakly: weakly) }
    }
}
