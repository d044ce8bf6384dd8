import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { Issuable } from '../issuable.ts'

/** Someone who takes part in an issuable; `mentioned` when only a mention says so. */
export type Participant = { user_id: number; mentioned: boolean }

/** Whose notes count: those that are not internal, those of the caller, and with `internal` all. */
export type NoteScope = { internal: boolean; userId: number | null }

/** The author, the assignees, the authors of readable notes, and those mentioned in them or in the description, by id. */
export async function participantsOf(db: Reader, issuable: Issuable, scope: NoteScope): Promise<Participant[]> {
  const { type, id, authorId } = issuable
  const readable = sql`(n.internal = false or n.author_id = ${scope.userId} or ${scope.internal ? sql`1 = 1` : sql`1 = 0`})`
  const query = sql<{ user_id: number; mentioned: number }>`
    select user_id, min(mentioned) as mentioned from (
      select cast(${authorId} as bigint) as user_id, 0 as mentioned
      union all
      select user_id, 0 from issuable_assignees where issuable_type = ${type} and issuable_id = ${id}
      union all
      select distinct n.author_id, 0 from notes n
        where n.noteable_type = ${type} and n.noteable_id = ${id} and n.system = false and ${readable}
      union all
      select m.user_id, 1 from user_mentions m left join notes n on n.id = m.note_id
        where m.issuable_type = ${type} and m.issuable_id = ${id} and (m.note_id is null or ${readable})
    ) participants group by user_id order by user_id`
  const { rows } = await query.execute(db as never)
  return rows.map(({ user_id, mentioned }) => ({ user_id, mentioned: Number(mentioned) === 1 }))
}
