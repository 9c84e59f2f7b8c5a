/// The reason why the server cannot start.
package enum ServerError: Error, Hashable, CustomStringConvertible {
    /// The text is no address to listen on.
    case address(String)
    /// A system call failed with this `errno`; `subject` names its object.
    case system(call: String, subject: String, code: Int32)
    /// The sockets that the process was started with are unusable.
    case handedOver(String)

    package var description: String {
        switch self {
        case .address(let text):
            "cannot listen on \"\(text)\": expected ADDRESS:PORT, [ADDRESS]:PORT, :PORT, unix:/PATH, systemd or "
                + "systemd:NAME"
        case .handedOver(let what): "passed-on sockets: \(what)"
        case .system(let call, let subject, let code): "\(subject): \(call): \(SystemCall.message(of: code))"
        }
    }
}
