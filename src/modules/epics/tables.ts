/** Epics of groups, and the issues that are assigned to them in manual order (contract 17). An issue has one epic at most. */
import {
  type ChangesOf,
  type NewRowOf,
  partial,
  type RowOf,
  type TableOf,
  type TablesOf,
  t,
  table,
} from '../../infra/database/index.ts'
import type { ImportSource } from '../../platform/index.ts'

export const epics = table(
  'epics',
  {
    id: t.id(),
    group_id: t.refers('namespaces', 'cascade'),
    iid: t.bigint(),
    parent_id: t.refers('epics', 'set null').nullable(),
    author_id: t.refers('users', 'cascade'),
    state: t.oneOf('opened', 'closed').default('opened'),
    confidential: t.boolean().default(false),
    /** `#` and six hexadecimal digits. */
    color: t.text(),
    /** `YYYY-MM-DD`, like `due_date_fixed`. */
    start_date_fixed: t.date().nullable(),
    start_date_is_fixed: t.boolean().default(false),
    due_date_fixed: t.date().nullable(),
    due_date_is_fixed: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
    closed_at: t.time().nullable(),
    closed_by_id: t.refers('users', 'set null').nullable(),
    title: t.name(),
    description: t.text().nullable(),
    /** Where it was imported from. */
    imported_from: t.text<ImportSource>().default('none'),
  },
  {
    unique: { iid: { on: ['group_id', 'iid'], isPreferred: true } },
    indexes: {
      created: ['group_id', 'created_at', 'id'],
      parent: partial('parent_id'),
      author: ['author_id'],
      closed_by: partial('closed_by_id'),
    },
    search: ['title', 'description'],
  },
)
export type EpicsTable = TableOf<typeof epics>

/** The issues of epics. */
export const epicIssues = table(
  'epic_issues',
  {
    id: t.id(),
    epic_id: t.refers('epics', 'cascade'),
    issue_id: t.refers('issues', 'cascade'),
    relative_position: t.bigint(),
  },
  {
    unique: { issue: ['issue_id'] },
    indexes: { order: ['epic_id', 'relative_position', 'id'] },
  },
)

/** An epic with the full path of its group. */
export type EpicRow = RowOf<typeof epics> & { group_path: string }
export type NewEpicRow = NewRowOf<typeof epics>
export type EpicRowChanges = ChangesOf<typeof epics>
export type EpicIssueRow = RowOf<typeof epicIssues>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof epics | typeof epicIssues> {}
}
