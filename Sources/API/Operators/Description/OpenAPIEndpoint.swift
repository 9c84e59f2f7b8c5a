import Ground
import HTTP

/// The endpoint `/api/openapi.json`, which writes and compresses the description at the first request.
struct OpenAPIEndpoint {
    static let path = "/api/openapi.json"

    private let resource: DeferredResource

    init(services: Services, descriptions: [OperatorRouter.Description]) {
        resource = DeferredResource(on: services.work) {
            let text = OpenAPIDocument(of: descriptions).json.bytes()
            return PreparedResource(
                CodedBody(text, by: services.compressor), etagName: services.cryptography.etagName(of: text),
                fields: [.contentType: "application/json", .cacheControl: "no-cache"])
        }
    }

    func respond(_ head: RequestHead) -> Disposition { resource.respond(to: head) }
}
