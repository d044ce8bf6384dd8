import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { jobWithToken } from '../testing.ts'

const config = 'work: {script: make}\n'
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const dead = { status: 404, body: { message: '404 Not Found' } }

/** A project with branches and a trigger of its owner. */
async function made(path: string, trigger: object = {}) {
  const commitTo = (branch: string) => ({ message: branch, branch, files: [['100644', '.gitlab-ci.yml', config]] })
  const stream = importStream([commitTo('main'), commitTo('topic/a/b')] as never)
  const project = await imported(server, owner, path, stream)
  await server.app.platform.jobs.drain()
  const base = `/projects/${project.id}`
  const { body } = await owner.post(`${base}/triggers`, { description: 'from outside', ...trigger })
  const token = body.token as string
  const fire = (body: object, headers = {}) => server.anonymous.post(`${base}/trigger/pipeline`, body, { headers })
  return { project, base, token, triggerId: body.id as number, fire }
}

const variablesOf = async (base: string, pipelineId: number) =>
  (await owner.get(`${base}/pipelines/${pipelineId}/variables`)).body as { key: string; value: string }[]

const refused = (...base: string[]) => ({ status: 400, body: { message: { base } } })

describe('a trigger', () => {
  test('runs a pipeline as its owner, with variables and the request as payload', async () => {
    const { base, token, fire, triggerId } = await made('fired')
    const body = { token, ref: 'main', variables: { X: '1', Y: 'two words' }, event: { name: 'built', list: [1] } }
    const answer = await fire({ ...body, private_token: 'no' })
    expect(answer).toMatchObject({
      status: 201,
      body: { ref: 'main', tag: false, source: 'trigger', status: 'pending', user: { id: owner.id } },
    })
    const listed = await variablesOf(base, answer.body.id)
    const env = { variable_type: 'env_var', raw: false }
    expect(listed.slice(0, 2)).toEqual([
      { ...env, key: 'X', value: '1' },
      { ...env, key: 'Y', value: 'two words' },
    ])
    expect(listed[2]).toMatchObject({ key: 'TRIGGER_PAYLOAD', variable_type: 'file' })
    const { token: _, ...rest } = body
    expect(JSON.parse(listed[2]?.value ?? '')).toEqual(rest)
    expect((await owner.get(`${base}/triggers/${triggerId}`)).body.last_used).toBe('2026-03-01T12:00:00.000Z')
  })

  test('takes a form, the query, and the path of the project', async () => {
    const { project, base, token } = await made('forms')
    const path = `/projects/${encodeURIComponent(project.full_path)}/trigger/pipeline`
    const form = new URLSearchParams({ token, ref: 'main', 'variables[KEY]': 'v' })
    const answer = await server.anonymous.post(path, form)
    expect(answer.status).toBe(201)
    const [variable] = await variablesOf(base, answer.body.id)
    expect(variable).toMatchObject({ key: 'KEY', value: 'v' })
    expect((await server.anonymous.post(`${path}?token=${token}&ref=main`)).status).toBe(201)
  })

  test('takes a ref from the path, with encoded or plain slashes', async () => {
    const { base, token } = await made('paths')
    for (const ref of ['main', 'topic/a/b', 'topic%2Fa%2Fb', 'topic/a%2Fb', 'refs/heads/topic/a/b']) {
      const answer = await server.anonymous.post(`${base}/ref/${ref}/trigger/pipeline`, { token, ref: 'ignored' })
      expect([ref, answer.status]).toEqual([ref, 201])
      expect(answer.body.ref).toBe(ref === 'main' ? 'main' : 'topic/a/b')
    }
    for (const ref of ['..%2F..%2Fetc', 'a//b', 'topic', '%F0%9F%A6%8A', '%20', '-x', 'main~1', 'HEAD']) {
      const answer = await server.anonymous.post(`${base}/ref/${ref}/trigger/pipeline`, { token })
      expect([ref, answer]).toMatchObject([ref, refused('Reference not found')])
    }
    expect((await server.anonymous.post(`${base}/ref/%ff/trigger/pipeline`, { token })).status).toBe(400)
    expect((await server.anonymous.get(`${base}/ref/a/b/trigger/pipeline`)).status).toBe(405)
  })

  test('is unknown with a wrong token, in another project, after its expiry and after its deletion', async () => {
    const { base, project, token, fire, triggerId } = await made('ends', { expires_at: '2026-03-01T13:00:00Z' })
    const other = await server.make.project('elsewhere', owner)
    for (const wrong of [
      'glptt-aaaaaaaaaaaaaaaaaaaa',
      `${token}x`,
      token.toUpperCase(),
      owner.token,
      'x'.repeat(9000),
    ]) {
      expect(await fire({ token: wrong, ref: 'main' })).toMatchObject(dead)
    }
    const at = (id: string | number) =>
      server.anonymous.post(`/projects/${id}/trigger/pipeline`, { token, ref: 'main' })
    for (const id of [other.id, 99_999_999, 'owner%2Fnothing', 'nothing', '-1', '9'.repeat(40), `${project.id}x`]) {
      expect([id, await at(id)]).toMatchObject([id, dead])
    }
    expect((await fire({ token, ref: 'main' })).status).toBe(201)
    clock.advance(3_600_000)
    expect(await fire({ token, ref: 'main' })).toMatchObject(dead)
    const lasting = (await owner.post(`${base}/triggers`, { description: 'x' })).body
    expect((await fire({ token: lasting.token, ref: 'main' })).status).toBe(201)
    await owner.delete(`${base}/triggers/${lasting.id}`)
    expect(await fire({ token: lasting.token, ref: 'main' })).toMatchObject(dead)
    expect((await owner.get(`${base}/triggers/${triggerId}`)).status).toBe(200)
  })

  test('has the rights that its owner has now', async () => {
    const { project, base, fire } = await made('rights')
    const person = await server.user('falling')
    await server.make.member({ project }, person, 40)
    const { token } = (await person.post(`${base}/triggers`, { description: 'mine' })).body
    expect((await fire({ token, ref: 'main' })).status).toBe(201)
    await owner.put(`${base}/members/${person.id}`, { access_level: 20 })
    expect(await fire({ token, ref: 'main' })).toMatchObject(
      refused(
        "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact " +
          'your administrator for assistance.',
      ),
    )
    await owner.put(`${base}/members/${person.id}`, { access_level: 40 })
    await server.root.post(`/users/${person.id}/block`)
    expect(await fire({ token, ref: 'main' })).toMatchObject(dead)
    await server.root.post(`/users/${person.id}/unblock`)
    expect((await fire({ token, ref: 'main' })).status).toBe(201)
    await owner.delete(`${base}/members/${person.id}`)
    expect(await fire({ token, ref: 'main' })).toMatchObject(dead)
  })

  test('may set variables as its owner may, while the payload is always there', async () => {
    const { project, base, token, fire } = await made('limited')
    const person = await server.user('limited_maintainer')
    await server.make.member({ project }, person, 40)
    const other = (await person.post(`${base}/triggers`, { description: 'mine' })).body.token
    await owner.put(base, { ci_pipeline_variables_minimum_override_role: 'owner' })
    const { body, status } = await fire({ token: other, ref: 'main' })
    expect([status, await variablesOf(base, body.id)]).toMatchObject([201, [{ key: 'TRIGGER_PAYLOAD' }]])
    const variables = { A: '1' }
    const noRight = refused('Insufficient permissions to set pipeline variables')
    expect(await fire({ token: other, ref: 'main', variables })).toMatchObject(noRight)
    expect((await fire({ token, ref: 'main', variables })).status).toBe(201)
  })

  test('is refused for events of pipelines, and where pipelines are disabled', async () => {
    const { base, token, fire } = await made('looping')
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    for (const name of ['X-Gitlab-Event', 'X-Service-Event']) {
      expect(await fire({ token, ref: 'main' }, { [name]: 'Pipeline Hook' })).toMatchObject(forbidden)
    }
    expect((await fire({ token, ref: 'main' }, { 'X-Gitlab-Event': 'Push Hook' })).status).toBe(201)
    await owner.put(base, { builds_access_level: 'disabled' })
    expect(await fire({ token, ref: 'main' })).toMatchObject(forbidden)
    expect(await fire({ token: 'wrong', ref: 'main' })).toMatchObject(dead)
  })

  test('names what is missing or invalid', async () => {
    const { base, token, fire } = await made('odd')
    expect(await fire({})).toMatchObject({
      status: 400,
      body: { message: '400 (Bad request) "token", "ref" not given', error: 'token is missing, ref is missing' },
    })
    expect(await fire({ token, ref: 'nope' })).toMatchObject(refused('Reference not found'))
    const notMap = { status: 400, body: { message: 'variables needs to be a map of key-valued strings' } }
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`V${index}`, 'x']))
    const odd = ['text', ['A'], [{ key: 'A', value: 'b' }], { A: 1 }, { A: { B: 'c' } }, { A: null }, { A: 'a\u0000' }]
    for (const variables of [...odd, many]) {
      expect(await fire({ token, ref: 'main', variables })).toMatchObject(notMap)
    }
    const badKey = refused("Variables key can contain only letters, digits and '_'.")
    for (const key of ['', 'a b', 'ä', 'A-B', 'x'.repeat(256)]) {
      expect(await fire({ token, ref: 'main', variables: { [key]: 'v' } })).toMatchObject(badKey)
    }
    const taken = { TRIGGER_PAYLOAD: 'x' }
    const duplicate = refused('Duplicate variable name: TRIGGER_PAYLOAD')
    expect(await fire({ token, ref: 'main', variables: taken })).toMatchObject(duplicate)
    const proto = `{"token":"${token}","ref":"main","variables":{"__proto__":"x"}}`
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${server.url}/api/v4${base}/trigger/pipeline`, { method: 'POST', headers, body: proto })
    expect(answer.status).toBe(201)
    const { id } = (await answer.json()) as { id: number }
    expect((await variablesOf(base, id))[0]).toMatchObject({ key: '__proto__', value: 'x' })
  })

  test('does not show where an uploaded file is stored', async () => {
    const { base, token } = await made('uploads')
    const form = new FormData()
    form.set('token', token)
    form.set('ref', 'main')
    form.set('report', new Blob(['content']), 'report.txt')
    const answer = await server.anonymous.post(`${base}/trigger/pipeline`, form)
    expect(answer.status).toBe(201)
    const [payload] = await variablesOf(base, answer.body.id)
    expect(JSON.parse(payload?.value ?? '')).toEqual({ ref: 'main' })
  })
})

test('a running job runs a pipeline of its own project, as its user', async () => {
  const { project, fire } = await made('jobs')
  const developer = await server.user('developer')
  await server.make.member({ project }, developer, 30)
  const job = await jobWithToken(server, { projectId: project.id, userId: developer.id })
  expect(await fire({ token: job.token, ref: 'topic/a/b', variables: { A: 'b' } })).toMatchObject({
    status: 201,
    body: { source: 'pipeline', user: { id: developer.id } },
  })
  const other = await made('jobs-elsewhere')
  expect(await other.fire({ token: job.token, ref: 'topic/a/b' })).toMatchObject(dead)
  await job.end()
  expect(await fire({ token: job.token, ref: 'topic/a/b' })).toMatchObject(dead)
})
