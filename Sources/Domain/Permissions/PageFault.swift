/// The fault of a text that is not a valid page URL or origin.
package enum PageFault: Error {
    case tooLong, notASCII, scheme, userinfo, host, port, path, emptyPart, dotPart, hiddenCharacter, notOnlyOrigin,
        tooDeep

    /// The fault and the remedy, to follow the name of the text.
    package var message: String {
        switch self {
        case .tooLong: "must be at most \(PageURL.maximumLength) bytes long."
        case .notASCII:
            "must be visible ASCII: write a host as Punycode (xn--…), and other characters of a path as UTF-8 with '%'."
        case .scheme: "must begin with 'https://' or 'http://'."
        case .userinfo: "must have no user and no password. Leave out the part before '@'."
        case .host:
            "must have a host of letters, digits, '-' and '_' separated by single dots, or an IPv4 address of four decimal numbers."
        case .port: "must have a port from 1 to 65535, or none."
        case .path:
            "must have a path that begins with '/' and has only characters of RFC 3986 and complete escapes, without '\\'."
        case .emptyPart: "must have no empty parts in its path. Write one '/' between two parts."
        case .dotPart: "must have no '.' or '..' as parts of its path, escaped or not. Resolve them first."
        case .hiddenCharacter:
            "must have no escaped '/', '\\' or control characters and no doubly escaped characters in its path, and only UTF-8."
        case .notOnlyOrigin: "must have only a scheme, a host and a port, such as \"https://shop.example:8443\"."
        case .tooDeep: "must have at most \(PagePath.maximumPrefixParts) parts."
        }
    }
}
