/** Topics of projects (contract 21). */
import { type NewRowOf, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const topics = table(
  'topics',
  {
    id: t.id(),
    name: t.name(),
    /** The name in lower case: names that differ only in case are the same topic. */
    folded_name: t.name(),
    title: t.text(),
    /** Markdown. */
    description: t.text().nullable(),
    /** File name of the picture. */
    avatar: t.text().nullable(),
    total_projects_count: t.bigint().default(0),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { name: ['folded_name'] },
    indexes: { projects: ['total_projects_count desc', 'id'] },
    text: ['name', 'title'],
  },
)

export type TopicRow = RowOf<typeof topics>
export type NewTopic = NewRowOf<typeof topics>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof topics> {}
}
