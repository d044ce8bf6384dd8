import { afterAll, beforeAll, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

let given: Hooked
beforeAll(async () => {
  given = await startWithReceiver()
  await given.commit('first')
})
afterAll(() => given.stop())

test('a push that no hook asks for costs one query, and no job', async () => {
  const { server, owner, project } = given
  const { platform } = server.app
  let branches = 0
  const push = async () => {
    branches += 1
    const body = { branch: `b${branches}`, ref: 'main' }
    expect((await owner.post(`/projects/${project.id}/repository/branches`, body)).status).toBe(201)
  }
  const jobs = async () =>
    (await platform.database.read.selectFrom('jobs').select('id').where('kind', '=', 'pushes.hooks').execute()).length
  const reactions = platform.reactions as { 'refs.pushed': unknown[] }
  const all = reactions['refs.pushed']
  const hooked = all.at(-1)
  const withHooks = await queriesOf(server, push)
  reactions['refs.pushed'] = all.filter((reaction) => reaction !== hooked)
  const without = await queriesOf(server, push)
  reactions['refs.pushed'] = all
  expect(withHooks - without).toBe(1)
  expect(await jobs()).toBe(0)
})
