/** Rows of runners, for tests that are about something else. */
import { now } from '../../infra/database/index.ts'
import type { TestServer } from '../../testing/index.ts'

/** Records a contact of a runner by a program. @returns the id of the manager */
export async function contact(server: TestServer, runnerId: number, systemId = 's_test'): Promise<number> {
  const { database, clock } = server.app.platform
  const contacted_at = now(clock)
  const facts = { version: '19.4.0', revision: 'abc', platform: 'linux', architecture: 'amd64', executor: 'shell' }
  return database.write(async (tx) => {
    const seen = { ...facts, ip_address: '10.0.0.1', contacted_at }
    await tx.updateTable('runners').set(seen).where('id', '=', runnerId).execute()
    const manager = { ...seen, runner_id: runnerId, system_id: systemId, created_at: contacted_at }
    return (await tx.insertInto('runner_managers').values(manager).returning('id').executeTakeFirstOrThrow()).id
  })
}
