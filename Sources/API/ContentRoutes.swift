package import Domain
package import HTTP

/// The routes of uploaded content, as archives and unpacked; a separate content host has only these.
package struct ContentRoutes {
    let blobs: BlobEndpoint
    let online: OnlineEndpoint
    let dialects: [any DialectEndpoint]
    let log: any Log

    /// - Parameter contentURL: The base URL of the unpacked copies if another host serves them.
    func add(to router: inout Router<APIEndpoint>, redirectingTo contentURL: PublicURL? = nil) {
        let (blobs, online) = (blobs, online)
        router.addForPages(.get, "/blobs/{digest}/{name}", log) { head, parameters throws(PlatformError) in
            try Self.refuseServiceWorker(head)
            return try blobs.respond(head, parameters)
        }
        router.addPreflight([.get, .head], "/blobs/{digest}/{name}")
        for dialect in dialects { dialect.addContentRoutes(to: &router, redirectingTo: contentURL) }
        for prefix in ClientBase.contentPatterns {
            for rest in ["", "/{path...}"] {
                let pattern = prefix + "/online/{package}/{version}" + rest
                router.addPreflight([.get, .head], pattern)
                router.addForPages(.get, pattern, log) { head, parameters throws(PlatformError) in
                    try Self.refuseServiceWorker(head)
                    guard let contentURL else { return online.respond(head, parameters) }
                    return .respond(Self.redirect(head, to: contentURL))
                }
            }
        }
    }

    /// Refuses the request by which a browser fetches the script of a service worker.
    ///
    /// The worker of one package's pages would stay in the browser and intercept later requests to this server.
    package static func refuseServiceWorker(_ head: RequestHead) throws(PlatformError) {
        guard head["Service-Worker"]?.lowercased() == "script" else { return }
        throw PlatformError(
            .forbidden,
            "Uploaded pages cannot register a service worker, because it would outlive the version that registered it. "
                + "Remove the call of navigator.serviceWorker.register().")
    }

    /// Redirects to the same path and query on another host.
    package static func redirect(_ head: RequestHead, to contentURL: PublicURL) -> Response {
        Response(
            .permanentRedirect,
            fields: [.location: contentURL.text + head.path + head.querySuffix, .cacheControl: "no-cache"]
        ).readableByPages
    }
}
