package import Files
package import Transport

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
            "The response to \(path) has status \(status)" + (detail.map { ": \($0)" } ?? ".")
        case .malformed(let path, let what): "The server's \(path) is invalid: \(what)."
        case .keys(let refusal): refusal.description
        case .config(let refusal): refusal.description
        case .locked(let holder):
            "Another sync uses this folder (\(holder)). Wait until it has ended, or end it."
        case .storage(let error): "\(error)."
        case .damagedState(let path):
            "\(path) is damaged. Remove it to start again; then the first root key seen is trusted, unless --root-key is given."
        }
    }
}
