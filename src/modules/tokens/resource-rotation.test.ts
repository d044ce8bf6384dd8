import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'

const start = '2026-03-04T05:06:07.890Z'
const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const refused = (reason: string) => ({ status: 400, body: { message: `400 Bad request - ${reason}` } })
const notAllowed = { status: 405, body: { message: '405 Method Not Allowed' } }

/** A group with an owner, and a project in it with a maintainer, a developer and nobody else. */
async function place(name: string) {
  const owner = await server.user(`${name}_owner`)
  const maintainer = await server.user(`${name}_maintainer`)
  const developer = await server.user(`${name}_developer`)
  const group = await server.make.group(`${name}-group`, owner)
  const project = await server.make.project('demo', owner, { namespace: group })
  await server.make.member({ project }, maintainer, 40)
  await server.make.member({ project }, developer, 30)
  const projectPath = `/projects/${project.id}/access_tokens`
  const groupPath = `/groups/${group.id}/access_tokens`
  return { owner, maintainer, developer, group, project, projectPath, groupPath }
}

const values = { name: 'robot', scopes: ['api'], access_level: 30 }

/** The bot of a token, with its memberships. */
async function botOf(userId: number) {
  const db = server.app.floor.database.read
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
  const members = await db.selectFrom('members').selectAll().where('user_id', '=', userId).execute()
  return { user, members }
}

describe('rotating a project access token', () => {
  test('keeps the bot, lengthens its membership, and ends the family when repeated', async () => {
    const { maintainer, projectPath } = await place('rotating')
    const first = (await maintainer.post(projectPath, { ...values, expires_at: '2026-03-20' })).body
    const second = await maintainer.post(`${projectPath}/${first.id}/rotate`, { expires_at: '2026-08-01' })
    expect(second).toMatchObject({
      status: 200,
      body: { user_id: first.user_id, access_level: 30, name: 'robot', expires_at: '2026-08-01' },
    })
    expect((await botOf(first.user_id)).members).toMatchObject([{ expires_at: '2026-08-01', access_level: 30 }])
    expect((await server.as(first.token).get('/version')).status).toBe(401)
    expect((await server.as(second.body.token).get('/version')).status).toBe(200)
    const again = await maintainer.post(`${projectPath}/${first.id}/rotate`)
    expect(again).toMatchObject(refused('Token already revoked'))
    expect((await server.as(second.body.token).get('/version')).status).toBe(401)
  })

  test('gives nobody a role above their own', async () => {
    const { owner, maintainer, projectPath } = await place('climbing')
    const made = (await owner.post(projectPath, { ...values, access_level: 50 })).body
    expect(await maintainer.post(`${projectPath}/${made.id}/rotate`)).toMatchObject(
      refused('Not eligible to rotate token with access level higher than the user'),
    )
    expect((await server.as(made.token).get('/version')).status).toBe(200)
    expect((await owner.post(`${projectPath}/${made.id}/rotate`)).status).toBe(200)
  })

  test('refuses a day too far, and a token that is dead', async () => {
    const { maintainer, projectPath } = await place('rotating_far')
    const made = (await maintainer.post(projectPath, values)).body
    expect(await maintainer.post(`${projectPath}/${made.id}/rotate`, { expires_at: '2027-03-05' })).toMatchObject(
      refused('Expiration date must be before 2027-03-04'),
    )
    const dead = (await maintainer.post(projectPath, { ...values, expires_at: '2026-03-04' })).body
    expect(await maintainer.post(`${projectPath}/${dead.id}/rotate`)).toMatchObject(unauthorized)
  })

  test('twice at once gives one token', async () => {
    const { maintainer, projectPath } = await place('racing')
    const made = (await maintainer.post(projectPath, values)).body
    const path = `${projectPath}/${made.id}/rotate`
    const answers = await Promise.all([maintainer.post(path), server.root.post(path)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await maintainer.get(`${projectPath}?state=active`)).body).toEqual([])
  })

  test('while it is revoked leaves no token and no member', async () => {
    const { maintainer, projectPath } = await place('racing_end')
    for (let round = 0; round < 10; round += 1) {
      const made = (await maintainer.post(projectPath, values)).body
      const path = `${projectPath}/${made.id}`
      const [rotated, ended] = await Promise.all([maintainer.post(`${path}/rotate`), maintainer.delete(path)])
      expect([200, 400]).toContain(rotated.status)
      expect(ended.status).toBe(204)
      expect(await botOf(made.user_id)).toMatchObject({ user: { state: 'blocked' }, members: [] })
      expect((await maintainer.get(`${projectPath}?state=active`)).body).toEqual([])
    }
  })

  test('by itself needs a scope for it, and its own project', async () => {
    const { owner, maintainer, project, projectPath, groupPath } = await place('self_rotating')
    const elsewhere = await place('self_rotating_elsewhere')
    const made = (await maintainer.post(projectPath, { ...values, scopes: ['self_rotate'] })).body
    const own = `${projectPath}/self/rotate`
    const rotated = await server.as(made.token).post(own)
    expect(rotated).toMatchObject({ status: 200, body: { user_id: made.user_id, expires_at: '2026-03-11' } })
    const robot = server.as(rotated.body.token)
    expect((await robot.post(`${elsewhere.projectPath}/self/rotate`)).status).toBe(404)
    expect(await robot.post('/personal_access_tokens/self/rotate')).toMatchObject(notAllowed)
    expect(await maintainer.post(own)).toMatchObject(notAllowed)
    expect(await server.anonymous.post(own)).toMatchObject(unauthorized)
    const ofGroup = server.as((await owner.post(groupPath, values)).body.token)
    expect(await ofGroup.post(own)).toMatchObject(notAllowed)
    const reader = server.as((await maintainer.post(projectPath, { ...values, scopes: ['read_api'] })).body.token)
    expect(await reader.post(own)).toMatchObject({ status: 403, body: { scope: 'api self_rotate' } })
    expect(project.id).toBeGreaterThan(0)
  })
})
