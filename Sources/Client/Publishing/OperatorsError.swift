/// Why a call of the operators' API came to nothing.
package enum OperatorsError: Error, Sendable, Equatable, CustomStringConvertible {
    case transport(TransportError)
    case refused(Problem)
    /// A success whose body is not the JSON that it has to be.
    case malformedAnswer(String)

    package var description: String {
        switch self {
        case .transport(let error): error.description
        case .refused(let problem): problem.description
        case .malformedAnswer(let what): "The server's answer cannot be used: \(what)."
        }
    }
}
