/// What the server asks for every request.
package protocol Application: AnyObject, Sendable {
    /// What the routes are called in figures and logs, by ``RouteID``; the first is ``RouteID/none``'s.
    var routes: [String] { get }

    /// Decides how a request is answered, once its head is complete.
    ///
    /// Called on the event loop: it must neither block nor wait. `HEAD` is decided as `GET` would be; the server
    /// leaves the body out.
    func decide(_ head: RequestHead) -> Decision
}
