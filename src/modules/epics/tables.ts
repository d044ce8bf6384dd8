import type { Generated, Insertable, Selectable, Updateable } from 'kysely'

export type EpicsTable = {
  id: Generated<number>
  group_id: number
  iid: number
  parent_id: number | null
  author_id: number
  state: Generated<'opened' | 'closed'>
  confidential: boolean
  /** `#` and six hexadecimal digits. */
  color: string
  /** `YYYY-MM-DD`, like `due_date_fixed`. */
  start_date_fixed: string | null
  start_date_is_fixed: boolean
  due_date_fixed: string | null
  due_date_is_fixed: boolean
  created_at: string
  updated_at: string
  closed_at: string | null
  closed_by_id: number | null
  title: string
  description: string | null
}

/** The issues of epics. */
export type EpicIssuesTable = {
  id: Generated<number>
  epic_id: number
  issue_id: number
  relative_position: number
}

/** An epic with the full path of its group. */
export type EpicRow = Selectable<EpicsTable> & { group_path: string }
export type NewEpicRow = Insertable<EpicsTable>
export type EpicRowChanges = Updateable<EpicsTable>
export type EpicIssueRow = Selectable<EpicIssuesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    epics: EpicsTable
    epic_issues: EpicIssuesTable
  }
}
