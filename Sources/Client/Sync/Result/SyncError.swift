package import Files

/// The error that ended a sync pass; no failed step changed a copy.
package enum SyncError: Error, Sendable, CustomStringConvertible {
    case transport(TransportError)
    /// The response has an unexpected status.
    case refused(path: String, status: Int, detail: String?)
    /// The response has unexpected content.
    case malformed(path: String, what: String)
    case keys(KeyRefusal)
    case config(ConfigRefusal)
    /// Another process is working on the folder.
    case locked(by: String)
    case storage(SystemError)
    /// The state file cannot be parsed.
    case damagedState(path: String)

    package var description: String {
        switch self {
        case .transport(let error): error.description
        case .refused(let path, let status, let detail):
            "The server answered \(path) with \(status)" + (detail.map { ": \($0)" } ?? ".")
        case .malformed(let path, let what): "The server's \(path) cannot be used: \(what)."
        case .keys(let refusal): refusal.description
        case .config(let refusal): refusal.description
        case .locked(let holder):
            "Another sync works on this folder (\(holder)). Wait until it has ended, or end it."
        case .storage(let error): "\(error)."
        case .damagedState(let path):
            "\(path) is damaged. Remove it to start afresh; the root key is then trusted anew, unless --root-key names it."
        }
    }
}
