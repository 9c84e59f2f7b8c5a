import Domain
import Ground

/// A scanner of the references in an HTML page or SVG: in attributes, and in embedded styles and scripts.
///
/// It splits tags by HTML §13.2.5, without the rules for invalid ones.
struct PageScanner {
    private var scanner: ByteScanner

    init(_ bytes: [UInt8]) { scanner = ByteScanner(bytes) }

    mutating func scan(into facts: inout FileFacts) {
        while !scanner.isAtEnd {
            scanner.skip(to: UInt8(ascii: "<"))
            scanner.skip()
            if scanner.isAt("!--") {
                scanner.skip(3)
                scanner.skip(past: "-->")
            } else if scanner.current.map(ASCII.isLetter) == true {
                let name = lowercased(
                    scanner.take { !$0.isBlank && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") })
                element(name, attributes(), into: &facts)
            }
        }
    }

    // MARK: Tags

    /// The limit on the bytes of a relevant name.
    private static let maximumNameLength = 32
    /// The limit on the bytes of a list of images.
    private static let maximumListLength = 16 << 10

    /// Returns the relevant attributes of a tag with the ranges of their values, and skips the tag.
    private mutating func attributes() -> [String: Range<Int>] {
        var attributes: [String: Range<Int>] = [:]
        while let byte = scanner.current {
            if byte == UInt8(ascii: ">") {
                scanner.skip()
                break
            }
            guard !byte.isBlank, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "=") else {
                scanner.skip()
                continue
            }
            let name = lowercased(
                scanner.take { !$0.isBlank && !Self.endsOfNames.utf8.contains($0) })
            scanner.skipBlanks()
            guard scanner.current == UInt8(ascii: "=") else { continue }
            scanner.skip()
            scanner.skipBlanks()
            let value = value()
            if Self.known.contains(name), attributes[name] == nil { attributes[name] = value }
        }
        return attributes
    }

    private mutating func value() -> Range<Int> {
        guard let quote = scanner.current, quote.isQuote else {
            return scanner.take { !$0.isBlank && $0 != UInt8(ascii: ">") }
        }
        scanner.skip()
        let inside = scanner.skip(to: quote)
        scanner.skip()
        return inside
    }

    private func lowercased(_ range: Range<Int>) -> String {
        guard range.count <= Self.maximumNameLength else { return "" }
        return String(decoding: scanner.bytes[range].map(ASCII.lowercased), as: UTF8.self)
    }

    // MARK: Elements

    private mutating func element(
        _ name: String, _ attributes: [String: Range<Int>], into facts: inout FileFacts
    ) {
        func text(_ attribute: String) -> String? { attributes[attribute].flatMap { scanner.text($0) }.map(unescaped) }

        switch name {
        case "base": facts.base = facts.base ?? text("href")
        case "link": facts.add(Self.isLoaded(text("rel") ?? "") ? .resource : .link, text("href"))
        case "image", "use", "feimage":
            facts.add(.resource, text("href"))
            facts.add(.resource, text("xlink:href"))
        default:
            facts.add(.link, text("href"))
            facts.add(.link, text("xlink:href"))
            facts.add(.link, text("action"))
        }
        facts.add(.resource, text("src"))
        facts.add(.resource, text("poster"))
        if name == "object" { facts.add(.resource, text("data")) }
        for list in ["srcset", "imagesrcset"] { addImages(attributes[list], to: &facts) }
        if let style = attributes["style"] {
            var styles = StyleScanner(scanner.bytes, in: style)
            styles.scan(into: &facts)
        }
        inside(name, type: text("type") ?? "", hasSource: attributes["src"] != nil, into: &facts)
    }

    /// Scans the raw text of an element up to its end tag: scripts, styles, and text that only looks like tags.
    private mutating func inside(_ name: String, type: String, hasSource: Bool, into facts: inout FileFacts) {
        switch name {
        case "script":
            let range = untilEnd(of: "</script")
            guard !hasSource, Self.scriptTypes.contains(type) else { return }
            var script = ScriptScanner(scanner.bytes, in: range)
            script.scan(into: &facts)
        case "style":
            var styles = StyleScanner(scanner.bytes, in: untilEnd(of: "</style"))
            styles.scan(into: &facts)
        case "textarea": _ = untilEnd(of: "</textarea")
        case "title": _ = untilEnd(of: "</title")
        default: break
        }
    }

    private mutating func untilEnd(of tag: String) -> Range<Int> {
        let start = scanner.index
        while !scanner.isAtEnd {
            scanner.skip(to: UInt8(ascii: "<"))
            if scanner.isAt(ignoringCase: tag) { break }
            scanner.skip()
        }
        return start..<scanner.index
    }

    /// Adds the images of a list such as `a.png 1x, b.png 2x`; ignores a list with `data:` URLs, which contain commas.
    private func addImages(_ range: Range<Int>?, to facts: inout FileFacts) {
        guard let range, let list = scanner.text(range, upTo: Self.maximumListLength) else { return }
        let candidates = list.utf8.split(separator: UInt8(ascii: ","))
        let images = candidates.compactMap { $0.split(whereSeparator: \.isBlank).first.map { Substring($0) } }
        guard !images.contains(where: { $0.utf8.starts(with: "data:".utf8) }) else { return }
        for image in images { facts.add(.resource, unescaped(String(image))) }
    }

    /// Replaces `&amp;`, the only character reference that builds write into URLs.
    private func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var output: [UInt8] = []
        var scanner = ByteScanner(Array(text.utf8))
        while let byte = scanner.current {
            output.append(byte)
            scanner.skip(scanner.isAt("&amp;") ? 5 : 1)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns whether a `<link>` with this `rel` loads a resource, instead of only naming a URL.
    private static func isLoaded(_ relation: String) -> Bool {
        relation.utf8.split(whereSeparator: \.isBlank).contains { word in
            loading.contains(String(decoding: word.map(ASCII.lowercased), as: UTF8.self))
        }
    }

    private static let endsOfNames = "=>/"
    private static let known: Set<String> = [
        "src", "href", "xlink:href", "poster", "data", "action", "srcset", "imagesrcset", "rel", "type", "style",
    ]
    private static let scriptTypes: Set<String> = [
        "", "module", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript",
    ]
    private static let loading: Set<String> = [
        "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image",
        "mask-icon", "manifest", "preload", "modulepreload", "prefetch",
    ]
}
