import { now } from '../../infra/database/index.ts'
import { nextInternalId } from '../../platform/internal-ids/index.ts'
import type { TestServer } from '../../testing/index.ts'
import { iterationsByIds } from './core/store.ts'
import type { IterationRow } from './tables.ts'

/** Makes an iteration of a group by its row, in a manual cadence of its own unless `cadenceId` names one. */
export async function makeIteration(
  server: TestServer,
  group: { id: number },
  dates: { start_date: string; due_date: string },
  { title = null, cadenceId }: { title?: string | null; cadenceId?: number } = {},
): Promise<IterationRow> {
  const { database, clock } = server.app.platform
  const moment = now(clock)
  const shared = { namespace_id: group.id, created_at: moment, updated_at: moment }
  return database.write(async (tx) => {
    const cadence = { ...shared, title: 'Cadence', automatic: false, roll_over: false, active: true }
    const insertion = () => tx.insertInto('iteration_cadences').values(cadence).returning('id')
    const cadence_id = cadenceId ?? (await insertion().executeTakeFirstOrThrow()).id
    const iid = await nextInternalId(tx, { namespaceId: group.id }, 'iterations')
    const values = { ...shared, ...dates, iid, cadence_id, title, sequence: 1, closed: false }
    const { id } = await tx.insertInto('iterations').values(values).returning('id').executeTakeFirstOrThrow()
    return (await iterationsByIds(tx, [id])).get(id) as IterationRow
  })
}
