package import Domain

/// An operation of an operator in a ``ReleaseWorld``, with the values that the operator gives.
package enum WorldOperation: Sendable {
    /// New releases with the ids that the world gave them, in the order of the drafts.
    case make(ReleaseRequest, as: [ReleaseID])
    /// Any action except a rollback.
    case change(ReleaseGroup.ID, ReleaseAction)
    /// A rollback to a version of each package; to none if no device has got the releases.
    case takeBack(ReleaseGroup.ID, to: [PackageID: VersionString], isMandatory: Bool)

    /// The kinds of operations, as ``kind`` names them.
    package static let kinds = Set(["make", "make-set"] + ReleaseAction.Kind.allCases.map(\.rawValue))

    package var kind: String {
        switch self {
        case .make(let request, _): request.isSet ? "make-set" : "make"
        case .change(_, let action): action.kind.rawValue
        case .takeBack: ReleaseAction.Kind.rollBack.rawValue
        }
    }
}

extension WorldOperation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .make(let request, let ids):
            let versions = request.drafts.map { "\($0.package) \($0.version)" }
            let begin = request.drafts[0].activeTime.map { " from \($0)" } ?? ""
            return "\(kind) \(ids) \(versions) at \(request.drafts[0].terms.rollout.percent)\(begin)"
        case .change(let id, let action): return "\(action) of \(id)"
        case .takeBack(let id, let versions, _): return "\(kind) of \(id) to \(versions)"
        }
    }
}
