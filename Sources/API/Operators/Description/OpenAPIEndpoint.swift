import Domain
import Execution
import Ground
import HTTP
import Synchronization

/// The endpoint `/api/openapi.json`, which writes and compresses the description at the first request.
final class OpenAPIEndpoint: Sendable {
    static let path = "/api/openapi.json"

    private let services: Services
    private let descriptions: [OperatorRouter.Description]
    private let prepared = Mutex<PreparedResource?>(nil)

    init(services: Services, descriptions: [OperatorRouter.Description]) {
        self.services = services
        self.descriptions = descriptions
    }

    func respond(_ head: RequestHead) -> Disposition {
        if let resource = prepared.withLock(\.self) { return .prepared(resource.respond(to: head)) }
        return .handle(bodyLimit: 0) { [self] request in
            let resource = await services.work.run { [services, descriptions] in
                let text = OpenAPIDocument(of: descriptions).json.bytes()
                return PreparedResource(
                    CodedBody(text, by: services.compressor), etagName: services.cryptography.etagName(of: text),
                    fields: [.contentType: "application/json", .cacheControl: "no-cache"])
            }
            prepared.withLock { $0 = resource }
            return resource.respond(to: request.head).response
        }
    }
}
