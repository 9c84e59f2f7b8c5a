package import Transport

/// The failure of a call of the operators' API.
package enum OperatorsError: Error, Sendable, Equatable, CustomStringConvertible {
    case transport(TransportError)
    case refused(Problem)
    /// A successful response whose body is not the expected JSON.
    case malformedResponse(String)

    package var description: String {
        switch self {
        case .transport(let error): error.description
        case .refused(let problem): problem.description
        case .malformedResponse(let what): "The server's response is invalid: \(what)."
        }
    }
}
