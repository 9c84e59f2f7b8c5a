import Domain
import Ground
import HTTP

/// The zip of an upload as it arrives: the body itself, or the file of a form.
final class UploadBody {
    /// The bytes that the framing of a form and its other fields may take beside the file.
    static let formOverhead = 64 << 10

    /// The bytes of a form field that are kept: one more than the longest value, so that a cut value is still too long.
    static let fieldLimit = VersionRequirements.maximumTextLength + 1

    /// The parameters of an upload, in the query or in a form's fields.
    enum Parameter: String, CaseIterable {
        case version, unwrap, notes, commit, author, ifExists, dryRun, minAppVersion, maxAppVersion, apis, needs

        static var names: [String] { allCases.map(\.rawValue) }
    }

    private var parameters: [Parameter: String] = [:]

    private let body: RequestBody
    private var form: MultipartParser?
    /// The parsed pieces of the file that have not been taken.
    private var ready: [[UInt8]] = []
    private var isFileOver = false

    /// Takes the body as a zip, whatever its `Content-Type`.
    init(_ request: Request, form: MultipartParser? = nil) {
        body = request.body
        self.form = form
        let query = request.head.query
        for parameter in Parameter.allCases { parameters[parameter] = query[parameter.rawValue] }
    }

    /// Returns a parameter's value from the query, or else from the first form field of that name before the file.
    subscript(_ parameter: Parameter) -> String? { parameters[parameter] }

    /// Checks the `Content-Type`, and reads a form up to the beginning of its file.
    ///
    /// Throws `unsupportedMediaType` unless the type is a zip's or a form's, and `invalidRequest` for a broken form.
    static func open(_ request: Request) async throws(PlatformError) -> UploadBody {
        let type = request.head[.contentType] ?? "application/zip"
        let essence = type.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } } ?? ""
        switch essence {
        case "application/zip", "application/octet-stream", "application/x-zip-compressed":
            return UploadBody(request)
        case "multipart/form-data":
            guard let parser = MultipartParser(contentType: type) else {
                throw PlatformError(.invalidRequest, "The Content-Type of the form has no boundary.")
            }
            let upload = UploadBody(request, form: parser)
            try await upload.findFile()
            return upload
        default:
            throw PlatformError(
                .unsupportedMediaType,
                "Send the zip as application/zip, or in a form as multipart/form-data; this is '\(essence)'.")
        }
    }

    /// Returns the next piece of the zip; `nil` at its end.
    func next() async throws(PlatformError) -> [UInt8]? {
        guard form != nil else { return try await piece() }
        // The fields after the file are read as well, so that a late parameter is rejected instead of ignored.
        while ready.isEmpty, !hasEnded { try await parsePiece() }
        if !ready.isEmpty { return ready.removeFirst() }
        while try await piece() != nil {}
        return nil
    }

    private func piece() async throws(PlatformError) -> [UInt8]? {
        do throws(BodyError) { return try await body.next() } catch { throw error.platformError }
    }

    // MARK: Forms

    private var field: String?
    private var fieldValue: [UInt8] = []
    private var isInFile = false
    private var hasFile = false
    private var hasEnded = false

    private func findFile() async throws(PlatformError) {
        while !isInFile, !hasEnded { try await parsePiece() }
        guard hasFile else {
            throw PlatformError(
                .invalidRequest, "The form contains no file. Send the zip as a part with a file name.")
        }
    }

    private func parsePiece() async throws(PlatformError) {
        guard let bytes = try await piece() else {
            throw PlatformError(
                .invalidRequest,
                "The form ends too early. Send the zip as a part with a file name, and the closing boundary."
            )
        }
        let events: [MultipartParser.Event]
        do throws(MultipartError) { events = try form?.read(bytes) ?? [] } catch {
            throw PlatformError(.invalidRequest, "The form cannot be read: \(error).")
        }
        for event in events { try take(event) }
    }

    private func take(_ event: MultipartParser.Event) throws(PlatformError) {
        switch event {
        case .head(let part):
            endPart()
            // The first part with a file name is the file; all other parts are fields.
            if part.filename != nil, !isFileOver {
                isInFile = true
                hasFile = true
            } else {
                try QueryParameters(Parameter.names).refuseMisspelt(part.name)
                guard !isFileOver || Parameter(rawValue: part.name) == nil else {
                    throw PlatformError(
                        .invalidRequest,
                        "The field '\(part.name)' comes after the file, where it has no effect. Send it before the file, or in "
                            + "the query.")
                }
                field = part.name
            }
        case .body(let bytes):
            if isInFile {
                ready.append(bytes)
            } else {
                fieldValue += bytes.prefix(Self.fieldLimit - fieldValue.count)
            }
        case .end:
            endPart()
            hasEnded = true
        }
    }

    private func endPart() {
        if isInFile { isFileOver = true }
        isInFile = false
        if let field { take(field, String(decoding: fieldValue, as: UTF8.self)) }
        field = nil
        fieldValue = []
    }

    private func take(_ name: String, _ value: String) {
        guard let parameter = Parameter(rawValue: name), parameters[parameter] == nil else { return }
        parameters[parameter] = value
    }
}
