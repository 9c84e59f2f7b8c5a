/// The kind of a resource for seed 004's clients: the numbers of its `type`.
///
/// The article defines 3 and 4; Larder defines the others.
package enum ResourceKind {
    package static let other: Int64 = 0
    package static let page: Int64 = 1
    package static let data: Int64 = 2
    package static let style: Int64 = 3
    package static let script: Int64 = 4
    package static let image: Int64 = 5
    package static let font: Int64 = 6
    package static let media: Int64 = 7

    /// The numbers that rules may use.
    package static let range: ClosedRange<Int64> = 0...1_000_000

    package static func number(of type: MediaType?) -> Int64 {
        guard let essence = type?.essence else { return other }
        switch essence {
        case "text/html", "application/xhtml+xml": return page
        case "text/css": return style
        case "text/javascript": return script
        case "application/vnd.ms-fontobject": return font
        case "application/vnd.apple.mpegurl": return media
        default: break
        }
        if essence.hasPrefix("image/") { return image }
        if essence.hasPrefix("font/") { return font }
        if essence.hasPrefix("audio/") || essence.hasPrefix("video/") { return media }
        return type?.isText == true ? data : other
    }
}
