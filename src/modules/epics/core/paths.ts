const path = '/groups/:id/epics'
/** The second path of each operation (contract 17, Operations: epics). */
const otherPath = '/groups/:id/-/epics'

/** The paths of the epics of a group. */
export const epicsPath = { path, otherPaths: [otherPath] } as const
/** The paths of an epic. */
export const epicPaths = { path: `${path}/:epic_iid`, otherPaths: [`${otherPath}/:epic_iid`] } as const
