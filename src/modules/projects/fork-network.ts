import { sql } from 'kysely'
import type { Reader } from '../../infra/database/index.ts'

/** Whether two projects come from one source over any number of forks, or one of them from the other (contract 22). */
export async function inOneForkNetwork(db: Reader, id: number, otherId: number): Promise<boolean> {
  if (id === otherId) return true
  const { rows } = await sql<{ id: number }>`
    with recursive line (start_id, id, source_id) as (
      select id, id, forked_from_id from projects where id in (${id}, ${otherId})
      union select line.start_id, p.id, p.forked_from_id from projects p join line on p.id = line.source_id
    ) select id from line where source_id is null`.execute(db as never)
  // Each of the two lines ends at its root.
  return rows.length === 2 && rows[0]?.id === rows[1]?.id
}
