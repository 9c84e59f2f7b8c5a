/// A route of an application: its place among ``Application/routes``.
package struct RouteID: Hashable, Sendable {
    package let index: UInt16

    package init(_ index: Int) {
        self.index = UInt16(index)
    }

    /// Of requests that lead nowhere, or could not be read.
    package static let none = RouteID(0)
}

/// How a request is answered, and by which route.
package struct Decision: Sendable {
    package var route: RouteID
    package var disposition: Disposition

    package init(_ disposition: Disposition, by route: RouteID = .none) {
        self.route = route
        self.disposition = disposition
    }
}
