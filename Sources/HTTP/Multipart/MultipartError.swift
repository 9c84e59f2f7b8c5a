/// The reason why a multipart body is rejected.
package enum MultipartError: Error, Hashable {
    /// The body is not multipart/form-data as RFC 7578 defines it.
    case malformed
    /// The head of a part, or the preamble, is longer than ``MultipartParser/Limits/headBytes``.
    case headTooLarge
    /// The body has more parts than ``MultipartParser/Limits/parts``.
    case tooManyParts
}
