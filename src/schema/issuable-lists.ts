import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Of indexes that serve equally PostgreSQL takes the newest. Where most projects have one issue, any that begins with the project does. */
function newest(table: string, parent: string): RawBuilder<unknown>[] {
  const name = sql.raw(`${table}_iid_unique`)
  return [sql`drop index ${name}`, sql`create unique index ${name} on ${sql.table(table)} (${sql.ref(parent)}, iid)`]
}

/**
 * Indexes by which reactions are listed in their order, and by which the priorities of labels are looked up without the rows. On PostgreSQL
 * the indexes that find one issuable by its number become the newest, and the parts of searched texts are said to cost what they do:
 * else it computed them for each row of a table instead of reading their index.
 */
export function up({ engine }: Dialect) {
  return [
    sql`create index award_emoji_order on award_emoji (noteable_type, noteable_id, id)`,
    sql`drop index label_priorities_label`,
    sql`create index label_priorities_label on label_priorities (label_id, project_id, priority)`,
    ...(engine === 'sqlite'
      ? []
      : [
          ...newest('issues', 'project_id'),
          ...newest('merge_requests', 'project_id'),
          ...newest('epics', 'group_id'),
          ...['issues', 'merge_requests', 'epics'].map((table) =>
            sql.raw(`alter function ${table}_search_parts (text, text) cost 10000`),
          ),
        ]),
  ]
}
