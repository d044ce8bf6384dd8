import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Receiver } from '../../../testing/index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let given: Hooked
let named = 0
beforeAll(async () => {
  given = await startWithReceiver({ clock })
  await given.commit('first')
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

const hooksPath = () => `/projects/${given.project.id}/hooks`
const read = async (id: number) => (await given.owner.get(`${hooksPath()}/${id}`)).body
const logOf = async (id: number, filter = '') => (await given.owner.get(`${hooksPath()}/${id}/events${filter}`)).body

/** Pushes a commit and waits for its deliveries. */
async function push(branch?: string) {
  named += 1
  const made = await given.commit(`file-${named}`, branch)
  await given.settle()
  return made
}

describe('a delivery', () => {
  test('has the headers under both names, the signature and the payload', async () => {
    const { receiver, hook, server, project, owner } = given
    const custom_headers = [
      { key: 'X-Custom', value: 'mine' },
      { key: 'X-Gitlab-Event', value: 'Forged Hook' },
    ]
    const { id } = await hook({ token: 'secret', custom_headers })
    await hook({ url: `${receiver.url}/second` })
    const { id: sha } = await push()
    const [first, second] = receiver.received.toSorted((a, b) => (a.url < b.url ? -1 : 1))
    const headers = first?.headers ?? {}
    expect(first?.method).toBe('POST')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'GitLab/17.7.0-ee',
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-instance': server.url,
      'x-gitlab-token': 'secret',
      'x-custom': 'mine',
    })
    for (const name of ['event', 'instance', 'token', 'signature', 'webhook-uuid', 'event-uuid']) {
      expect(headers[`x-service-${name}`]).toBe(headers[`x-gitlab-${name}`])
      expect(headers[`x-service-${name}`]).toBeTruthy()
    }
    const { createHmac } = await import('node:crypto')
    const signature = createHmac('sha256', 'secret')
      .update(first?.body ?? '')
      .digest('hex')
    expect(headers['x-gitlab-signature']).toBe(signature)
    expect(second?.headers['x-gitlab-token']).toBeUndefined()
    expect(second?.headers['x-gitlab-event-uuid']).toBe(headers['x-gitlab-event-uuid'])
    expect(second?.headers['x-gitlab-webhook-uuid']).not.toBe(headers['x-gitlab-webhook-uuid'])
    expect(second?.headers['idempotency-key']).not.toBe(headers['idempotency-key'])
    const address = `${server.url}/${project.full_path}`
    const ssh = `${server.app.platform.sshPrefix}${project.full_path}.git`
    const described = { name: 'code', description: null, homepage: address, url: ssh }
    const addresses = { git_http_url: `${address}.git`, git_ssh_url: ssh, visibility_level: 0 }
    expect(JSON.parse(first?.body ?? '')).toEqual({
      object_kind: 'push',
      event_name: 'push',
      before: expect.stringMatching(/^[0-9a-f]{40}$/),
      after: sha,
      ref: 'refs/heads/main',
      ref_protected: true,
      checkout_sha: sha,
      message: null,
      user_id: owner.id,
      user_name: 'owner person',
      user_username: 'owner',
      user_email: '[REDACTED]',
      user_avatar: null,
      project_id: project.id,
      project: {
        id: project.id,
        ...described,
        ...addresses,
        web_url: address,
        avatar_url: null,
        namespace: 'hooked',
        path_with_namespace: project.full_path,
        default_branch: 'main',
        ci_config_path: '',
        ssh_url: ssh,
        http_url: `${address}.git`,
      },
      commits: [
        {
          id: sha,
          message: expect.stringContaining('Add file-'),
          title: expect.stringContaining('Add file-'),
          timestamp: '2026-03-01T12:00:00+00:00',
          url: `${address}/-/commit/${sha}`,
          author: { name: 'owner person', email: 'owner@example.com' },
          added: [expect.stringContaining('file-')],
          modified: [],
          removed: [],
        },
      ],
      total_commits_count: 1,
      push_options: {},
      repository: { ...described, ...addresses },
    })
    const [logged] = await logOf(id)
    expect(logged).toMatchObject({ trigger: 'push_hooks', response_status: '200', response_body: 'ok' })
    expect(logged.request_headers).toMatchObject({
      'X-Gitlab-Token': '[REDACTED]',
      'X-Service-Token': '[REDACTED]',
      'X-Gitlab-Signature': '[REDACTED]',
      'X-Service-Signature': '[REDACTED]',
      'X-Custom': '[REDACTED]',
      'X-Gitlab-Event': 'Push Hook',
    })
    expect(logged.response_headers).toMatchObject({ 'X-Seen': 'yes' })
    expect(logged.request_data.after).toBe(sha)
    expect(logged.execution_duration).toBeGreaterThan(0)
  })

  test('follows the template, the variables and the branches of its hook', async () => {
    const { receiver, hook } = given
    const template = '{"kind":"{{object_kind}}","text":"of {{project.name}}","n":{{project.id}},"none":{{a.b}}}'
    await hook({
      url: `${receiver.url}/{secret}`,
      url_variables: [{ key: 'secret', value: 'hidden' }],
      custom_webhook_template: template,
      push_events_branch_filter: 'release/*',
    })
    const regex = { push_events_branch_filter: '^(a|b)$', branch_filter_strategy: 'regex' }
    await hook({ ...regex, url: `${receiver.url}/regex` })
    for (const branch of ['main', 'release/1', 'a']) await push(branch)
    expect(receiver.received.map(({ url }) => url)).toEqual(['/hidden', '/regex'])
    const { id } = given.project
    const rendered = { kind: 'push', text: 'of code', n: id, none: null }
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(rendered)
    const broken = await hook({ custom_webhook_template: '{"commits":"{{commits}}"}' })
    await push()
    const [logged] = await logOf(broken.id)
    expect(logged).toMatchObject({
      response_status: 'internal error',
      response_body: 'Error while parsing rendered custom webhook template',
    })
  })

  test('comes in the order of the events, once for each hook', async () => {
    const { receiver, hook, groupHook } = given
    await hook({ url: `${receiver.url}/project` })
    await groupHook({ url: `${receiver.url}/group` })
    const commits: string[] = []
    for (let count = 0; count < 3; count += 1) {
      named += 1
      commits.push((await given.commit(`file-${named}`)).id)
    }
    await given.settle()
    for (const path of ['/project', '/group']) {
      const came = receiver.received.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body).after)
      expect(came).toEqual(commits)
    }
  })
})

describe('a receiver that', () => {
  /** Has one push answered by a receiver, and returns its log entry. */
  async function answered(answer: Receiver['answer'], options: object = {}) {
    const { id } = await given.hook(options)
    given.receiver.answer = answer
    await push()
    const [logged, ...others] = await logOf(id)
    expect(others).toEqual([])
    return logged
  }

  test('does not answer in time, or trickles, has failed', async () => {
    const { config } = given.server.app.platform
    const usualMs = config.webhookTimeoutMs
    // Short for these two only: a busy machine would not answer the others in time.
    config.webhookTimeoutMs = 300
    const silent = await answered(() => {})
    await given.clear()
    const trickling = await answered((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    config.webhookTimeoutMs = usualMs
    const expired = { response_status: 'internal error', response_body: 'execution expired' }
    expect([silent, trickling]).toMatchObject([expired, expired])
  })

  test('sends without end is read for 8 KB', async () => {
    let sentBytes = 0
    const piece = Buffer.alloc(65_536, 'x')
    const logged = await answered((response) => {
      response.writeHead(200, { 'Content-Length': String(2 ** 30) })
      const send = () => {
        while (!response.destroyed && response.write(piece)) sentBytes += piece.length
      }
      response.on('drain', send)
      send()
    })
    expect(logged).toMatchObject({ response_status: '200', response_body: 'x'.repeat(8192) })
    expect(sentBytes).toBeLessThan(2 ** 25)
  })

  test('redirects is not followed', async () => {
    const logged = await answered((response) => {
      response.writeHead(302, { Location: 'http://169.254.169.254/latest' }).end()
    })
    expect(logged).toMatchObject({ response_status: '302', response_headers: { Location: expect.any(String) } })
    const { database } = given.server.app.platform
    const hooks = await database.read.selectFrom('web_hooks').select('recent_failures').orderBy('id', 'desc').execute()
    expect(hooks[0]).toEqual({ recent_failures: 1 })
    expect(given.receiver.received).toHaveLength(1)
  })

  test('sends odd bytes or many headers is logged', async () => {
    const odd = await answered((response) => {
      response.setHeader('Set-Cookie', ['a=1', 'b=2'])
      response.setHeader('X-Long', 'y'.repeat(1025))
      for (let count = 0; count < 60; count += 1) response.setHeader(`X-${count}`, 'y'.repeat(100))
      response.writeHead(500).end(Buffer.from([0, 255, 65]))
    })
    expect(odd).toMatchObject({ response_status: '500', response_body: '\ufffd\ufffdA' })
    expect(odd.response_headers).toMatchObject({ 'Set-Cookie': 'a=1, b=2', 'X-Long': 'y'.repeat(1024) })
    expect(Object.keys(odd.response_headers)).toHaveLength(50)
  })

  test('has a forbidden address by now is not asked', async () => {
    const { allowLocal, receiver, hook } = given
    const literal = await hook({})
    const unknown = await hook({ url: 'http://fennec.invalid/' })
    await allowLocal(false)
    await push()
    await allowLocal(true)
    expect(receiver.received).toEqual([])
    expect((await logOf(literal.id))[0].response_body).toBe('Requests to localhost are not allowed')
    expect((await logOf(unknown.id))[0].response_body).toBe('Host cannot be resolved or invalid')
  })

  test('fails is asked less and less, and then no more, until it succeeds', async () => {
    const { receiver, hook, owner } = given
    const { id } = await hook({})
    receiver.answer = (response) => void response.writeHead(500).end('broken')
    for (let count = 1; count <= 3; count += 1) await push()
    expect(await read(id)).toMatchObject({ alert_status: 'executable', disabled_until: null })
    await push()
    const pause = async (seconds: number) => {
      const until = new Date(clock.now().getTime() + seconds * 1000).toISOString()
      expect(await read(id)).toMatchObject({ alert_status: 'temporarily_disabled', disabled_until: until })
    }
    await pause(60)
    await push()
    expect(receiver.received).toHaveLength(4)
    clock.advance(60_000)
    expect(await read(id)).toMatchObject({ alert_status: 'executable', disabled_until: null })
    await push()
    await pause(120)
    const failed = (recent_failures: number) =>
      given.server.app.platform.database.write((tx) =>
        tx.updateTable('web_hooks').set({ recent_failures, disabled_until: null }).where('id', '=', id).execute(),
      )
    await failed(30)
    await push()
    await pause(86_400)
    await failed(39)
    await push()
    expect(await read(id)).toMatchObject({ alert_status: 'disabled', disabled_until: null })
    clock.advance(30 * 86_400_000)
    const before = receiver.received.length
    await push()
    expect(receiver.received).toHaveLength(before)
    const tested = await owner.post(`${hooksPath()}/${id}/test/push_events`)
    expect(tested).toMatchObject({ status: 422, body: { message: 'broken' } })
    receiver.answer = (response) => void response.writeHead(204).end()
    expect((await owner.post(`${hooksPath()}/${id}/test/push_events`)).status).toBe(201)
    expect(await read(id)).toMatchObject({ alert_status: 'executable', disabled_until: null })
    await push()
    expect(receiver.received).toHaveLength(before + 3)
  })

  test('fails gets nothing of what was still to be sent', async () => {
    const { receiver, hook, server } = given
    const { id } = await hook({})
    const { database, jobs } = server.app.platform
    receiver.answer = (response) => void response.writeHead(500).end()
    // Others hold the hook while many events come.
    const leases = { lease_job_id: 1_000_000_000, lease_until: '2999-01-01T00:00:00.000Z' }
    await database.write((tx) => tx.updateTable('web_hooks').set(leases).where('id', '=', id).execute())
    for (let count = 0; count < 7; count += 1) await push()
    expect(receiver.received).toEqual([])
    const ended = { lease_until: clock.now().toISOString() }
    await database.write((tx) => tx.updateTable('web_hooks').set(ended).where('id', '=', id).execute())
    await database.write((tx) => jobs.enqueue(tx, 'web_hooks.resume', null))
    await given.settle()
    expect(receiver.received).toHaveLength(4)
    expect(await logOf(id)).toHaveLength(4)
    const left = await database.read.selectFrom('web_hook_deliveries').select('is_pending').execute()
    expect(left.filter(({ is_pending }) => is_pending)).toEqual([])
  })
})

describe('the log of deliveries', () => {
  test('is filtered, repeated on request, and deleted after a week', async () => {
    const { receiver, hook, owner, server } = given
    const { id } = await hook({})
    for (const code of [200, 404, 503]) {
      receiver.answer = (response) => void response.writeHead(code).end(String(code))
      await push()
    }
    const statuses = async (filter: string) =>
      (await logOf(id, filter)).map(({ response_status }: { response_status: string }) => response_status)
    expect(await statuses('')).toEqual(['503', '404', '200'])
    expect(await statuses('?status=successful')).toEqual(['200'])
    expect(await statuses('?status=client_failure')).toEqual(['404'])
    expect(await statuses('?status=server_failure')).toEqual(['503'])
    expect(await statuses('?status=404')).toEqual(['404'])
    expect(await statuses('?per_page=1&page=2')).toEqual(['404'])
    const odd = await owner.get(`${hooksPath()}/${id}/events?status=odd`)
    expect(odd).toMatchObject({ status: 400, body: { error: 'status does not have a valid value' } })
    const [, , oldest] = await logOf(id)
    const resend = () => owner.post(`${hooksPath()}/${id}/events/${oldest.id}/resend`)
    receiver.answer = (response) => void response.writeHead(202).end()
    expect(await resend()).toMatchObject({ status: 201, body: { response_status: 202 } })
    const [first, last] = [receiver.received[0], receiver.received.at(-1)]
    expect(last?.body).toBe(first?.body)
    expect(last?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(last?.headers['x-gitlab-event-uuid']).toBe(first?.headers['x-gitlab-event-uuid'])
    expect(await statuses('')).toEqual(['202', '503', '404', '200'])
    const gone = { status: 404, body: { message: '404 Not found' } }
    expect(await owner.post(`${hooksPath()}/${id}/events/99999/resend`)).toMatchObject(gone)
    expect(await owner.get(`${hooksPath()}/99999/events`)).toMatchObject(gone)
    for (let count = 0; count < 3; count += 1) expect((await resend()).status).toBe(201)
    const tooMany = { error: 'This endpoint has been requested too many times. Try again later.' }
    expect(await resend()).toMatchObject({ status: 429, body: { message: tooMany } })
    clock.advance(8 * 86_400_000)
    await server.app.platform.database.write((tx) => server.app.platform.jobs.enqueue(tx, 'web_hooks.prune', null))
    await given.settle()
    expect(await logOf(id)).toEqual([])
    expect(await server.app.platform.database.read.selectFrom('web_hook_events').select('id').execute()).toEqual([])
  })
})
