/**
 * Epics of groups, the issues that are assigned to them in manual order (contract 17), and what epics have to do with each other
 * (contract 26.19). An issue has one epic at most.
 */
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
    /** Its place among the child epics of its parent. */
    relative_position: t.bigint().default(0),
  },
  {
    unique: { iid: { on: ['group_id', 'iid'], isPreferred: true } },
    indexes: {
      created: ['group_id', 'created_at', 'id'],
      parent: partial('parent_id'),
      children: { on: ['parent_id', 'relative_position', 'id'], where: 'parent_id is not null' },
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

/** How two epics are related: `relates_to` has no direction; of `blocks`, the source blocks the target (contract 26.19). */
export const epicLinks = table(
  'epic_links',
  {
    id: t.id(),
    source_id: t.refers('epics', 'cascade'),
    target_id: t.refers('epics', 'cascade'),
    link_type: t.oneOf('relates_to', 'blocks'),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['source_id <> target_id'],
    unique: {
      pair: [
        '(case when source_id < target_id then source_id else target_id end)',
        '(case when source_id < target_id then target_id else source_id end)',
      ],
    },
    indexes: { source: ['source_id', 'id'], target: ['target_id', 'id'] },
  },
)

/** An epic with the full path of its group. */
export type EpicRow = RowOf<typeof epics> & { group_path: string }
export type NewEpicRow = NewRowOf<typeof epics>
export type EpicRowChanges = ChangesOf<typeof epics>
export type EpicIssueRow = RowOf<typeof epicIssues>
export type EpicLinkRow = RowOf<typeof epicLinks>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof epics | typeof epicIssues | typeof epicLinks> {}
}
