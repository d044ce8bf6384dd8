import { type RawBuilder, sql } from 'kysely'
import { prepareQuery, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { FollowedPlace } from '../../hooks/index.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import type { EventColumn } from '../catalogue/events.ts'

const sending = [...catalogue].filter(([, { does }]) => does === 'delivers' || does === 'mails').map(([slug]) => slug)

function askedFor(columns: readonly EventColumn[]) {
  const isOn = sql<boolean>`(${sql.join(
    columns.map((column) => sql.ref(column)),
    sql` or `,
  )})`
  const sends = sql<boolean>`slug in (${sql.join(sending.map((slug) => sql.lit(slug)))})`
  const among = (db: Reader) =>
    db.selectFrom('integrations').select('id').where('active', '=', true).where(isOn).where(sends)
  const inProject = (db: Reader, project: RawBuilder<unknown>) =>
    among(db)
      .where(sql<boolean>`project_id = ${project}`)
      .unionAll(
        among(db).where(
          sql<boolean>`namespace_id in (select above.ancestor_id from namespace_ancestors above
            where above.namespace_id = (select p.namespace_id from projects p where p.id = ${project}))`,
        ),
      )
      .limit(1)
  return {
    ofProject: prepareQuery((db, { projectId }: { projectId: number }) => inProject(db, sql`${projectId}`)),
    ofRepository: prepareQuery((db, { repositoryId }: { repositoryId: number }) =>
      inProject(db, sql`(select r.project_id from repositories r where r.id = ${repositoryId} and r.kind = 'project')`),
    ),
  }
}

const lookups = new Map<string, ReturnType<typeof askedFor>>()

/** Whether an integration of a project, or of a group above it, asks for events of one of these columns. */
export async function isAsked(db: Reader, columns: readonly EventColumn[], place: FollowedPlace): Promise<boolean> {
  if (columns.length === 0) return false
  const key = columns.join()
  const lookup = lookups.get(key) ?? askedFor(columns)
  lookups.set(key, lookup)
  const found = 'projectId' in place ? await lookup.ofProject(db, place) : await lookup.ofRepository(db, place)
  return found.length > 0
}

/** Counts a failure, in the database, so that concurrent ones all count. @returns the failures in a row; null when it is gone */
export async function countFailure(tx: Tx, id: number): Promise<number | null> {
  const query = tx.updateTable('integrations').set((eb) => ({ recent_failures: eb('recent_failures', '+', 1) }))
  const row = await query.where('id', '=', id).returning('recent_failures').executeTakeFirst()
  return row?.recent_failures ?? null
}

export async function pauseUntil(tx: Tx, id: number, disabled_until: string | null): Promise<void> {
  await tx.updateTable('integrations').set({ disabled_until }).where('id', '=', id).execute()
}

/** Ends what failures have led to. */
export async function forgetFailures(tx: Tx, id: number): Promise<void> {
  const query = tx.updateTable('integrations').set({ recent_failures: 0, disabled_until: null }).where('id', '=', id)
  await query.where('recent_failures', '>', 0).execute()
}
