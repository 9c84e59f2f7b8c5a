/// The index of a route in ``Application/routes``.
package struct RouteID: Hashable, Sendable {
    package let index: UInt16

    package init(_ index: Int) {
        self.index = UInt16(index)
    }

    /// The route of requests that match no route or are malformed.
    package static let none = RouteID(0)
}

/// The disposition of a request, and the route that made it.
package struct Decision: Sendable {
    package var route: RouteID
    package var disposition: Disposition

    package init(_ disposition: Disposition, by route: RouteID = .none) {
        self.route = route
        self.disposition = disposition
    }
}
