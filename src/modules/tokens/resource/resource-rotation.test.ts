import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { botOf, placeOfTokens, robotToken, start } from '../testing.ts'

const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const refused = (reason: string) => ({ status: 400, body: { message: `400 Bad request - ${reason}` } })
const notAllowed = { status: 405, body: { message: '405 Method Not Allowed' } }

describe('rotating a project access token', () => {
  test('retains the bot, extends its membership, and revokes the family when repeated', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'rotating')
    const first = (await maintainer.post(projectPath, { ...robotToken, expires_at: '2026-03-20' })).body
    const second = await maintainer.post(`${projectPath}/${first.id}/rotate`, { expires_at: '2026-08-01' })
    expect(second).toMatchObject({
      status: 200,
      body: { user_id: first.user_id, access_level: 30, name: 'robot', expires_at: '2026-08-01' },
    })
    expect((await botOf(server, first.user_id)).members).toMatchObject([{ expires_at: '2026-08-01', access_level: 30 }])
    expect((await server.as(first.token).get('/version')).status).toBe(401)
    expect((await server.as(second.body.token).get('/version')).status).toBe(200)
    const again = await maintainer.post(`${projectPath}/${first.id}/rotate`)
    expect(again).toMatchObject(refused('Token already revoked'))
    expect((await server.as(second.body.token).get('/version')).status).toBe(401)
  })

  test('of itself by a token that was rotated before revokes the family', async () => {
    const { owner, projectPath, groupPath } = await placeOfTokens(server, 'reusing')
    for (const path of [projectPath, groupPath]) {
      const first = (await owner.post(path, { ...robotToken, scopes: ['self_rotate', 'read_api'] })).body
      const second = await server.as(first.token).post(`${path}/self/rotate`)
      expect((await server.as(second.body.token).get('/version')).status).toBe(200)
      expect((await server.as(first.token).post(`${path}/self/rotate`)).status).toBe(401)
      expect((await server.as(second.body.token).get('/version')).status, path).toBe(401)
    }
  })

  test('is refused when the role of the token is above the caller’s', async () => {
    const { owner, maintainer, projectPath } = await placeOfTokens(server, 'climbing')
    const made = (await owner.post(projectPath, { ...robotToken, access_level: 50 })).body
    expect(await maintainer.post(`${projectPath}/${made.id}/rotate`)).toMatchObject(
      refused('Not eligible to rotate token with access level higher than the user'),
    )
    expect((await server.as(made.token).get('/version')).status).toBe(200)
    expect((await owner.post(`${projectPath}/${made.id}/rotate`)).status).toBe(200)
  })

  test('rejects an expiry day that is too late, and an expired token', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'rotating_far')
    const made = (await maintainer.post(projectPath, robotToken)).body
    expect(await maintainer.post(`${projectPath}/${made.id}/rotate`, { expires_at: '2027-03-05' })).toMatchObject(
      refused('Expiration date must be before 2027-03-04'),
    )
    const dead = (await maintainer.post(projectPath, { ...robotToken, expires_at: '2026-03-04' })).body
    expect(await maintainer.post(`${projectPath}/${dead.id}/rotate`)).toMatchObject(unauthorized)
  })

  test('concurrently issues one token', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'racing')
    const made = (await maintainer.post(projectPath, robotToken)).body
    const path = `${projectPath}/${made.id}/rotate`
    const answers = await Promise.all([maintainer.post(path), server.root.post(path)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await maintainer.get(`${projectPath}?state=active`)).body).toEqual([])
  })

  test('concurrently with its revocation leaves no active token and no member', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'racing_end')
    for (let round = 0; round < 10; round += 1) {
      const made = (await maintainer.post(projectPath, robotToken)).body
      const path = `${projectPath}/${made.id}`
      const [rotated, ended] = await Promise.all([maintainer.post(`${path}/rotate`), maintainer.delete(path)])
      expect([200, 400]).toContain(rotated.status)
      expect(ended.status).toBe(204)
      expect(await botOf(server, made.user_id)).toMatchObject({ user: { state: 'blocked' }, members: [] })
      expect((await maintainer.get(`${projectPath}?state=active`)).body).toEqual([])
    }
  })

  test('with the token itself needs its scope and its own project', async () => {
    const { owner, maintainer, project, projectPath, groupPath } = await placeOfTokens(server, 'self_rotating')
    const elsewhere = await placeOfTokens(server, 'self_rotating_elsewhere')
    const made = (await maintainer.post(projectPath, { ...robotToken, scopes: ['self_rotate'] })).body
    const own = `${projectPath}/self/rotate`
    const rotated = await server.as(made.token).post(own)
    expect(rotated).toMatchObject({ status: 200, body: { user_id: made.user_id, expires_at: '2026-03-11' } })
    const robot = server.as(rotated.body.token)
    expect((await robot.post(`${elsewhere.projectPath}/self/rotate`)).status).toBe(404)
    expect(await robot.post('/personal_access_tokens/self/rotate')).toMatchObject(notAllowed)
    expect(await maintainer.post(own)).toMatchObject(notAllowed)
    expect(await server.anonymous.post(own)).toMatchObject(unauthorized)
    const ofGroup = server.as((await owner.post(groupPath, robotToken)).body.token)
    expect(await ofGroup.post(own)).toMatchObject(notAllowed)
    const reader = server.as((await maintainer.post(projectPath, { ...robotToken, scopes: ['read_api'] })).body.token)
    expect(await reader.post(own)).toMatchObject({ status: 403, body: { scope: 'api self_rotate' } })
    expect(project.id).toBeGreaterThan(0)
  })
})
