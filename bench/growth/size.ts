/** How much there is in an instance. */
export type Size = {
  users: number
  /** Groups, nested five deep, half of them below the first one. */
  groups: number
  projects: number
  members: number
  /** Projects of one person: so many as a member, and so many in the personal namespace. */
  ofPerson: number
  /** Groups of which the same person is a member. */
  groupsOfPerson: number
  /** Rows of the large domains, half of them in one project: issues, merge requests, pipelines, jobs, events, uploads, … */
  items: number
  /** Rows of one project, group, issue or person in the other lists: members, labels, releases, hooks, comments, … */
  each: number
  /** The focal project, group and person have as much as in an instance of this size; without it half of everything. */
  focusOf?: 'medium'
}

/** A million projects. */
const large = {
  ...{ users: 200_000, members: 1_000_000, ofPerson: 5_000, groupsOfPerson: 1_000 },
  ...{ groups: 20_000, projects: 1_000_000, items: 300_000, each: 10_000 },
}

/** The sizes by their names. `tiny` is for tests, `searched` for slow searches. */
export const sizes = {
  tiny: { users: 60, groups: 40, projects: 120, members: 200, ofPerson: 6, groupsOfPerson: 3, items: 120, each: 30 },
  small: {
    ...{ users: 1_000, groups: 100, projects: 1_000, members: 5_000, ofPerson: 50, groupsOfPerson: 10 },
    ...{ items: 1_000, each: 100 },
  },
  /** As `small`, with a hundred times the rows in its projects. */
  full: {
    ...{ users: 1_000, groups: 100, projects: 1_000, members: 5_000, ofPerson: 50, groupsOfPerson: 10 },
    ...{ items: 100_000, each: 100 },
  },
  medium: {
    ...{ users: 10_000, groups: 1_000, projects: 10_000, members: 50_000, ofPerson: 500, groupsOfPerson: 100 },
    ...{ items: 10_000, each: 1_000 },
  },
  searched: {
    ...{ users: 20_000, groups: 10_000, projects: 100_000, members: 200_000, ofPerson: 5_000, groupsOfPerson: 1_000 },
    ...{ items: 10_000, each: 1_000 },
  },
  half: { ...large, groups: 10_000, projects: 100_000, items: 100_000, each: 5_000 },
  large,
  /** An instance that has grown around a project, a group and a person that have stayed as they were in `medium`. */
  grown: { ...large, ofPerson: 500, groupsOfPerson: 100, focusOf: 'medium' },
} as const satisfies Record<string, Size>

export type SizeName = keyof typeof sizes

/** Ids of rows start after those that a new instance has. */
export const first = 1_000

/** Ids of the rows that have most of the others. The person owns the project and the group. */
export const focus = (size: Size) => ({
  person: first + 1,
  /** A person with few memberships. */
  guest: first + 2,
  project: first + 1,
  group: first + size.users + 1,
  /** The first row of the focal project or group in tables of which every second row is there. */
  row: first + 2,
})
