import type { RawBuilder } from 'kysely'
import { type Dialect, forEachRow } from '../../../infra/database/index.ts'

/**
 * Triggers that count the upvotes of each noteable, so that lists can be in the order of their number. Award emoji also
 * disappear with their user or project.
 */
export function votesTriggers(dialect: Dialect): RawBuilder<unknown>[] {
  const given = `insert into award_votes (noteable_type, noteable_id, project_id, upvotes)
    values (new.noteable_type, new.noteable_id, new.project_id, 1)
    on conflict (noteable_type, noteable_id) do update set upvotes = award_votes.upvotes + 1`
  const ofOld = 'noteable_type = old.noteable_type and noteable_id = old.noteable_id'
  const taken = `delete from award_votes where ${ofOld} and upvotes = 1;
    update award_votes set upvotes = upvotes - 1 where ${ofOld}`
  const on = (event: string, row: string, statement: string) => {
    const isMet = `${row}.name = 'thumbsup' and ${row}.noteable_id is not null`
    return forEachRow(dialect, {
      ...{ name: `award_emoji_${event}`, event: `after ${event}`, table: 'award_emoji' },
      ...{ isMet, statement },
    })
  }
  return [...on('insert', 'new', given), ...on('delete', 'old', taken)]
}
