/**
 * The types that modules of the console share. No module imports this one, so that a browser never loads it; the types of charts are
 * in `charts/types.js`.
 *
 * @module
 */

/**
 * What a request has beside its method and path.
 * @typedef {object} RequestOptions
 * @property {any} [body] a `Blob`, or a value that becomes JSON
 * @property {Object<string, any>} [query] members that are `null` or empty are left out
 * @property {string} [tag] the state that the operator has seen: the server refuses the change with 412 if it is not the current one
 * @property {AbortSignal} [signal]
 * @property {boolean} [dryRun] whether the server only says what the change would do
 * @property {Object<string, string>} [headers]
 * @property {boolean} [isSignIn] whether a 401 is an answer rather than the end of the session
 */

/**
 * The response to a request.
 * @typedef {object} ApiResponse
 * @property {any} value
 * @property {number} status
 * @property {string} [tag] of the object
 * @property {string} [next] the cursor of the next page of a list
 * @property {Headers} headers
 */

/**
 * The options of a button. Other members become attributes.
 * @typedef {{[attribute: string]: any}} Attributes
 * @typedef {object} ButtonParts
 * @property {string} [icon]
 * @property {'primary' | 'danger' | 'danger-fill' | 'quiet'} [kind]
 * @property {boolean} [small]
 * @property {string} [href] makes it a link
 * @property {(event: any) => void} [onclick]
 * @property {string | null} [reason] why the action is not possible: the button then does nothing
 * @property {string} [type]
 * @property {string} [keys] the shortcut to show
 * @property {string} [name] the accessible name, which a button with an icon only needs
 * @typedef {ButtonParts & Attributes} ButtonOptions
 */

/**
 * An item of a menu; `null` is a line between items.
 * @typedef {object} MenuItem
 * @property {any} label
 * @property {string} [icon]
 * @property {(event: any) => any} [onclick]
 * @property {string} [href]
 * @property {boolean} [danger]
 * @property {string | null} [reason] why the item is not possible
 * @property {boolean} [current]
 * @property {string} [group] the name that items of one group follow
 * @property {string} [keys] the shortcut to show
 */

/**
 * The options of a button that opens a menu.
 * @typedef {object} MenuOptions
 * @property {string} [icon]
 * @property {string} [class] makes a plain button of this class
 * @property {string} [name] the accessible name
 * @property {any} [kind]
 * @property {boolean} [small]
 * @property {string | null} [reason] why the menu does not open
 */

/**
 * The parts of a panel.
 * @typedef {object} PanelOptions
 * @property {any} [title]
 * @property {any} [count]
 * @property {any} [note]
 * @property {any} [actions]
 * @property {any} [body]
 * @property {any} [footer]
 * @property {string} [id]
 * @property {string} [countKind] the colour of the count
 */

/**
 * What stands in place of content that does not exist: what it would be, and how to get it.
 * @typedef {object} EmptyState
 * @property {string} [icon]
 * @property {string} [kind] the colour of the icon
 * @property {any} title
 * @property {any} [text]
 * @property {any} [actions]
 */

/**
 * The options of a panel that loads its own data.
 * @typedef {object} LiveParts
 * @property {number} [rows] of the skeleton
 * @property {(signal: AbortSignal) => Promise<any>} load
 * @property {(data: any, panel: any) => any} render
 * @property {(event: any) => boolean} [changes] whether an event of the stream makes the panel load again
 * @property {number} [every] the time in milliseconds after which numbers that no event announces are loaded again
 * @property {(data: any) => boolean} [isEmpty] by default, whether the data is an empty list
 * @property {EmptyState} [empty]
 * @typedef {PanelOptions & LiveParts} LivePanelOptions
 */

/** @typedef {{key: string, descending: boolean}} Sort the order of a table */

/**
 * A column of a table.
 * @typedef {object} Column
 * @property {any} label
 * @property {boolean} [numeric]
 * @property {string} [sort] the key by which the column can be sorted
 * @property {boolean} [full] whether its cell has the whole width of a card
 * @property {boolean} [hidden] whether only screen readers get the label, such as that of the actions
 */

/**
 * A row of a table.
 * @typedef {object} Row
 * @property {any[]} cells texts, nodes or lists of these
 * @property {string} [href] opened by the link in the first cell, or by a click anywhere in the row
 * @property {boolean} [selected]
 * @property {string} [key] by which the row is found again
 * @property {string} [class]
 */

/**
 * The options of a table.
 * @typedef {object} TableOptions
 * @property {string} caption
 * @property {Column[]} columns
 * @property {Row[]} rows
 * @property {Sort} [sort]
 * @property {(sort: Sort) => void} [onSort]
 * @property {boolean} [cards] whether each row is a card below 760 px, which is the default
 * @property {boolean} [dense]
 */

/**
 * What a page gets when it is opened.
 * @typedef {object} Context
 * @property {any} app
 * @property {any} channel
 * @property {any[]} apps
 * @property {any[]} channels those of the app
 * @property {Object<string, string>} params the parameters of the path
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal aborted when the page is left
 * @property {typeof import('./api/session.js').session} session
 * @property {boolean} isProtected whether releases on the channel need approvals
 * @property {Set<(event: any) => void>} listeners
 * @property {{app: any, channel: any}} scope
 * @property {(page?: string, query?: Object<string, any>) => string} href the address of a page of this app and channel
 * @property {(callback: (event: any) => void) => void} onEvent calls back with each entry of the event stream while the page is open;
 *   after a loss with `{isGap: true}`
 * @property {(changes: Object<string, any>, options?: {reload?: boolean}) => void} setQuery changes the query of the address; `null`
 *   removes a name. Without `reload` the page stays as it is
 * @property {() => void} reload
 * @property {(page: string, query?: Object<string, any>) => void} go
 * @property {(bindings: Object<string, () => void>) => void} keys binds single keys while the page is open
 * @property {(parts: any[], query?: Object<string, any>) => Promise<any>} get reads an object of the app: `context.get(['packages', id])`
 * @property {() => () => void} guard makes the browser ask before the window is closed, until the returned function is called
 * @property {(callback: () => void) => void} whenSignedOut calls back once
 * @property {(start?: string) => Promise<any>} openPalette
 * @property {() => void} changed updates the releases in flight
 */

/**
 * What a channel has in flight.
 * @typedef {object} Flight
 * @property {any[]} releases
 * @property {any[]} approvals the requests that wait for approval
 * @property {any[]} online the packages that are served from the network
 */

/**
 * The page of an address.
 * @typedef {object} Place
 * @property {string} [app]
 * @property {string} [channel]
 * @property {any} [route] missing if no page has this path
 * @property {Object<string, string>} params
 * @property {URLSearchParams} query
 * @property {string} [rest] the path of an address that knows no app
 */

/**
 * What is called by the event stream.
 * @typedef {object} StreamHandlers
 * @property {(entry: any) => void} event
 * @property {(state: 'live' | 'reconnecting', since?: Date) => void} state
 * @property {() => void} gap called after a loss, when events may have been missed
 */

/**
 * The beginning of a step of a plan, or a widening.
 * @typedef {{percent: number, withoutRules?: boolean, time: string}} Advance
 */

/**
 * A step of a release's plan, with the times at which it began or will begin.
 * @typedef {object} PlanStep
 * @property {number} percent
 * @property {boolean} withoutRules
 * @property {boolean} isLatest
 * @property {'done' | 'current' | 'next'} state
 * @property {number | null} begunAt
 * @property {number | null} plannedAt
 * @property {boolean} isWaiting
 * @property {number} share how much of the current step is over, from 0 to 1
 */

/**
 * What the panels of a release or a release set learn for each other.
 * @typedef {object} Known
 * @property {Advance[]} advances those that the history has
 * @property {any} readiness the counts of devices
 * @property {{person: string, approver: string | null} | null} maker
 * @property {any} [followerText] the sentence about the release that a rollback has made from this one
 * @property {any} [takesBackText] the sentence about the release that this one takes back
 */

/**
 * What the console keeps between pages.
 * @typedef {object} State
 * @property {any[]} apps
 * @property {any[]} channels
 * @property {string | null} app
 * @property {string | null} channel
 * @property {import('./api/stream.js').EventStream | null} stream
 * @property {AbortController | null} visit
 * @property {any} context
 * @property {import('./elements/frame.js').Frame | null} frame
 */

/**
 * What is around all pages.
 * @typedef {object} Shell
 * @property {HTMLElement} root
 * @property {{frame: any}} state
 * @property {() => void} close forgets what belongs to the person
 * @property {(options: {isFirst: boolean}) => Promise<void>} open opens the page of the address
 */

/**
 * The statistics of a version or a package.
 * @typedef {object} Totals
 * @property {string} name
 * @property {number} opened the devices that opened it
 * @property {Object<string, number>} kinds the devices with each kind of failure
 * @property {number} failures the sum of the kinds: a device counts once for each
 * @property {number | null} rate the failures of 100 devices that opened it; `null` if none did
 * @property {any} load the quantiles of the time that its pages take to load
 */

export {};
