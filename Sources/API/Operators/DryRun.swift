import Domain
import Ground
import HTTP
import Platform

/// The way in which a route that changes something supports `?dryRun=1` (decision 0044).
enum DryRunSupport {
    /// The route runs as usual, and the store rolls back its writes.
    case rollsBack
    /// The route reads the parameter itself.
    case handledByRoute
    /// The route has no dry run and refuses the parameter.
    case refused

    static let parameter = "dryRun"

    /// Returns whether the request asks for a dry run.
    func isAsked(by head: RequestHead) throws(PlatformError) -> Bool {
        guard self != .handledByRoute, let text = head.query[Self.parameter] else { return false }
        guard text == "1" || text == "0" else {
            throw PlatformError(
                .invalidRequest, "'dryRun' must be 1 (check and change nothing) or 0 (make the change).")
        }
        guard text == "0" || self != .refused else {
            throw PlatformError(.invalidRequest, "This route has no dry run. Leave 'dryRun' out to make the request.")
        }
        return text == "1"
    }
}

extension OperatorRoutes.Call {
    /// Returns whether the request asks for a dry run, in the query or in the body.
    func isDryRun(_ body: inout JSONReader) throws(PlatformError) -> Bool {
        let isAsked = try body.bool("dryRun") ?? false
        return isAsked || author.isRehearsing
    }
}

extension OperatorRoutes {
    /// Returns the parsed `If-Match`; `nil` without the field.
    ///
    /// Throws `malformedPrecondition` for a value that is not a list of entity tags, and `preconditionFailed` if the
    /// target of the route has no tag.
    static func precondition(_ head: RequestHead, hasTag: Bool) throws(PlatformError) -> IfMatchPrecondition? {
        let precondition: IfMatchPrecondition
        switch TagCondition(head) {
        case nil: return nil
        case .any: precondition = .present
        case .tags(let tags): precondition = .tags(tags)
        case .malformed:
            throw PlatformError(
                .malformedPrecondition,
                "'If-Match' is not a list of entity tags. Send the 'ETag' of the response with its quotes, such as "
                    + "If-Match: \"3\", or *.")
        }
        guard hasTag else {
            throw PlatformError(
                .preconditionFailed,
                "The object of this request has no entity tag. Send the request without 'If-Match'.")
        }
        return precondition
    }
}

extension Response {
    /// The response to a dry run: status 200 with `dryRun`, without `Location` and `ETag`.
    var ofDryRun: Response {
        guard status.code < 300, case .bytes(let bytes) = body, let members = JSON(parsing: bytes)?.members else {
            return self
        }
        var response = self
        response.status = .ok
        response.fields[.location] = nil
        response.fields[.etag] = nil
        let others = members.filter { $0.key != "dryRun" }
        response.body = .bytes(JSON.object([.init("dryRun", true)] + others).bytes())
        return response
    }
}
