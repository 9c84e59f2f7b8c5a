/// The port through which the server passes requests to the application.
package protocol Application: AnyObject, Sendable {
    /// The names of the routes in metrics and logs, indexed by ``RouteID``; the first belongs to ``RouteID/none``.
    var routes: [String] { get }

    /// Decides how to respond to a request whose head is complete.
    ///
    /// Runs on the event loop and must neither block nor wait. `HEAD` is decided like `GET`; the server omits the body.
    func decide(_ head: RequestHead) -> Decision
}
