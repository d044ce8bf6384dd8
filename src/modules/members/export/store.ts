import type { Reader } from '../../../infra/database/index.ts'
import { type MemberSource, memberColumnOf } from '../../access/index.ts'

const rowsAtOnce = 500

/** The direct memberships of a group or project after an id, in the order of the ids. */
export function membershipsAfter(db: Reader, source: MemberSource, afterId: number) {
  return db
    .selectFrom('members')
    .select(['id', 'user_id', 'access_level', 'expires_at', 'created_at'])
    .where(memberColumnOf(source), '=', source.id)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(rowsAtOnce)
    .execute()
}
