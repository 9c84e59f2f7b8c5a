/// The destination of the access log.
enum AccessLogTarget {
    case off
    case standardError
    case file(String)

    init(_ text: String) {
        switch text {
        case "off", "": self = .off
        case "-": self = .standardError
        default: self = .file(text)
        }
    }
}
