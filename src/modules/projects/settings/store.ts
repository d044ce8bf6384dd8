import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'

/** The expressions of the index `projects_cleanup_due`. */
const isEnabled = sql<boolean>`(settings -> 'container_expiration_policy' -> 'enabled') = 'true'`
const nextRun = sql<string>`(settings -> 'container_expiration_policy' ->> 'next_run_at')`

/** Ids of projects whose cleanup policy is enabled and due, the longest due first. @param now ISO text */
export async function duePolicies(db: Reader, now: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where(isEnabled)
    .where(nextRun, '<=', now)
    .where('pending_delete', '=', false)
    .orderBy(nextRun)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Projects whose cleanup policy is enabled and runs after a time, by id. @param after ISO text; @param afterId see `portions` */
export async function policiesAfter(
  db: Reader,
  { after, afterId, limit }: { after: string; afterId: number; limit: number },
): Promise<{ id: number }[]> {
  const query = db.selectFrom('projects').select('id').where(isEnabled).where(nextRun, '>', after)
  return query.where('pending_delete', '=', false).where('id', '>', afterId).orderBy('id').limit(limit).execute()
}

/** The expression of the index `projects_package_cleanup_due`. */
const nextPackagesRun = sql<string>`(settings -> 'packages_cleanup_policy' ->> 'next_run_at')`

/** Ids of projects whose policy for packages is due, the longest due first. @param now ISO text */
export async function duePackagesPolicies(db: Reader, now: string, limit: number): Promise<number[]> {
  const query = db.selectFrom('projects').select('id').where(nextPackagesRun, 'is not', null)
  const due = query.where(nextPackagesRun, '<=', now).where('pending_delete', '=', false)
  return (await due.orderBy(nextPackagesRun).limit(limit).execute()).map(({ id }) => id)
}
