import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'

/** A page of the users who were active on a day or later, by that day. */
export async function pageOfActivities(
  db: Reader,
  from: string,
  page: PageRequest,
): Promise<Page<{ username: string; last_activity_on: string }>> {
  const query = db
    .selectFrom('users')
    .select(['username', 'last_activity_on'])
    .$narrowType<{ last_activity_on: string }>()
    .where('last_activity_on', '>=', from)
    .where('removed_at', 'is', null)
  return pageOfRows(db, query.orderBy('last_activity_on').orderBy('id'), page)
}
