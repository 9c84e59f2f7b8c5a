/// Why a multipart body is refused.
package enum MultipartError: Error, Hashable {
    /// Not multipart/form-data as RFC 7578 defines it.
    case malformed
    /// A part's head is longer than ``MultipartParser/Limits/headBytes``, or what comes before the first part is.
    case headTooLarge
    /// More parts than ``MultipartParser/Limits/parts``.
    case tooManyParts
}
