import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { projectById } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { type ContainerPolicy, defaultContainerPolicy } from './container-policy.ts'
import { claimPolicyRun, recallPolicyRun, storePolicy } from './policy-runs.ts'
import { settingsOf } from './settings.ts'

let server: TestServer
let owner: Person
let project: ProjectRow
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  project = await server.make.project(`cleaned-${made}`, owner)
})

const now = '2026-03-10T12:00:00.000Z'
const tomorrow = '2026-03-11T12:00:00.000Z'
const later = '2026-03-10T12:00:00.001Z'
const write: TestServer['app']['platform']['database']['write'] = (work) => server.app.platform.database.write(work)

async function givePolicy(policy: Partial<ContainerPolicy>): Promise<void> {
  await write((tx) => storePolicy(tx, project, { ...defaultContainerPolicy, enabled: true, ...policy }))
}
const deleteProject = () =>
  write((tx) => tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', project.id).execute())
async function nextRun(): Promise<string | null> {
  const found = await projectById(server.app.platform.database.read, project.id)
  return found && settingsOf(found).container_expiration_policy.next_run_at
}

test.each<[Partial<ContainerPolicy>, boolean]>([
  [{ next_run_at: now }, true],
  [{ next_run_at: later }, false],
  [{ next_run_at: null }, false],
  [{ next_run_at: now, enabled: false }, false],
])('the run of the policy %j is due: %s', async (policy, isDue) => {
  await givePolicy(policy)
  const claimed = await write((tx) => claimPolicyRun(tx, project.id, now))
  expect(claimed?.policy.next_run_at).toBe(isDue ? tomorrow : undefined)
  expect(claimed?.project.id).toBe(isDue ? project.id : undefined)
  expect(await nextRun()).toBe(isDue ? tomorrow : policy.next_run_at)
})

test.each([
  ['2026-03-11T12:00:00.001Z', tomorrow],
  [tomorrow, tomorrow],
  [later, later],
  [null, null],
])('a next run at %s is put back to %s', async (next_run_at, expected) => {
  await givePolicy({ next_run_at })
  await write((tx) => recallPolicyRun(tx, project.id, now))
  expect(await nextRun()).toBe(expected)
})

test('projects that are deleted have no runs', async () => {
  const far = '2026-09-01T00:00:00.000Z'
  await givePolicy({ next_run_at: now })
  await deleteProject()
  expect(await write((tx) => claimPolicyRun(tx, project.id, now))).toBeNull()
  await givePolicy({ next_run_at: far })
  await write((tx) => recallPolicyRun(tx, project.id, now))
  const { settings } = await server.app.platform.database.read
    .selectFrom('projects')
    .select('settings')
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow()
  expect(settings).toMatchObject({ container_expiration_policy: { next_run_at: far } })
  const none = 999_999_999
  expect(await write((tx) => claimPolicyRun(tx, none, now))).toBeNull()
  await expect(write((tx) => recallPolicyRun(tx, none, now))).resolves.toBeUndefined()
})
