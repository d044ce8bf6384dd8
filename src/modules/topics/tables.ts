import type { Generated, Insertable, Selectable, Updateable } from 'kysely'

export type TopicsTable = {
  id: Generated<number>
  name: string
  /** The name in lower case: names that differ only in case are the same topic. */
  folded_name: string
  title: string
  /** Markdown. */
  description: string | null
  /** File name of the picture. */
  avatar: string | null
  total_projects_count: Generated<number>
  created_at: string
  updated_at: string
}

export type TopicRow = Selectable<TopicsTable>
export type NewTopic = Insertable<TopicsTable>
export type TopicChanges = Updateable<TopicsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    topics: TopicsTable
  }
}
