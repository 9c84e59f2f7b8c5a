/// The fault of a text that is not a valid page URL or origin.
package enum PageFault: Error {
    case tooLong, notASCII, scheme, userinfo, host, port, path, emptyPart, dotPart, hiddenCharacter, notOnlyOrigin,
        tooDeep

    /// The fault and the remedy, to follow the name of the text.
    package var message: String {
        switch self {
        case .tooLong: "must be \(PageURL.maximumLength) bytes long at most."
        case .notASCII:
            "must be visible ASCII: write a host as Punycode (xn--…), and other characters of a path as UTF-8 with '%'."
        case .scheme: "must begin with 'https://' or 'http://'."
        case .userinfo: "must have no user and no password: leave out what is before '@'."
        case .host:
            "must have a host of letters, digits, '-' and '_' with single dots between, or an IPv4 address of four decimal numbers."
        case .port: "must have a port from 1 to 65535, or none."
        case .path: "must have a path that begins with '/', of the characters of RFC 3986 and whole escapes; no '\\'."
        case .emptyPart: "must have no empty parts in its path: write one '/' between two parts."
        case .dotPart: "must have no '.' and '..' as parts of its path, however they are written: resolve them first."
        case .hiddenCharacter:
            "must have no escaped '/', '\\' or control characters in its path, no escapes of escapes, and UTF-8 alone."
        case .notOnlyOrigin: "must be a scheme, a host and a port alone, such as \"https://shop.example:8443\"."
        case .tooDeep: "must have \(PagePath.maximumPrefixParts) parts at most."
        }
    }
}
