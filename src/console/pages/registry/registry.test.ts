import { beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { registryRows } from '../../../modules/container-registry/testing.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { type Browser, linksIn, personWithBrowser, visitorOf } from '../code/testing.ts'

type Visitor = Person & { browser: Browser }

let server: TestServer
let owner: Visitor
let guest: Visitor
let id: number
let base: string
let make: ReturnType<typeof registryRows>

const hostile = '<script>alert(1)</script>'
const tags = { v1: 5, 'v2.0': 4, latest: 3 }

beforeAll(async () => {
  const clock = manualClock({ start: '2026-05-10T00:00:00.000Z' })
  server = await startTestServer({ clock })
  ;[owner, guest] = [await personWithBrowser(server, 'keeper'), await personWithBrowser(server, 'visitor')]
  const namespace = await server.make.group('Team', owner)
  const project = await server.make.project('App', owner, { namespace })
  await server.make.member({ namespace }, guest, 10)
  make = registryRows(server)
  id = await make.repository(project, 'web')
  for (const [tag, days] of Object.entries(tags)) {
    const imageCreatedAt = new Date(clock.now().getTime() - days * 86_400_000).toISOString()
    await make.image(id, tag, { tags: [tag], layers: { base: 2048, [tag]: 1024 }, imageCreatedAt })
  }
  await make.image(id, 'with layers', { layers: { base: 2048 } })
  base = '/Team/App/-/container_registry'
  return () => server[Symbol.asyncDispose]()
})

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
const namesIn = (html: string) => [...html.matchAll(/tags\/([^"/]+)"/g)].map(([, name]) => name)

test('a project lists its repositories, which link to their tags with the command that pulls them', async () => {
  const { status, html } = await owner.browser.get(base)
  expect(status).toBe(200)
  expect(textOf(html)).toContain('web 3 tags')
  expect(linksIn(html)).toContain(`${base}/${id}`)
  const shown = await owner.browser.get(`${base}/${id}`)
  expect(namesIn(shown.html)).toEqual(['latest', 'v1', 'v2.0'])
  const host = new URL(server.url).host
  expect(shown.html).toContain(`value="docker pull ${host}/team/app/web"`)
  expect(textOf(shown.html)).toContain('v1 3.0 KiB sha256:')
  expect(textOf(shown.html)).toContain('5.0 KiB')
})

test('the list of a group leads to the pages of the projects', async () => {
  const { status, html } = await owner.browser.get('/groups/Team/-/container_registries')
  expect(status).toBe(200)
  const link = linksIn(html).find((one) => one?.endsWith(`/container_registry/${id}`))
  const first = await owner.browser.get(link ?? '')
  const shown = first.location === '' ? first : await owner.browser.get(first.location)
  expect([shown.status, namesIn(shown.html).length]).toEqual([200, 3])
})

test('a tag shows its digest, its size and the commands that pull it', async () => {
  const { status, html } = await owner.browser.get(`${base}/${id}/tags/v2.0`)
  expect(status).toBe(200)
  expect(html).toMatch(/value="docker pull [^"]+\/team\/app\/web:v2\.0"/)
  expect(html).toMatch(/value="docker pull [^"]+\/team\/app\/web@sha256:[\da-f]{64}"/)
  expect(textOf(html)).toContain('2026-05-06 00:00 UTC')
  expect((await owner.browser.get(`${base}/${id}/tags/none`)).status).toBe(404)
  expect((await owner.browser.get(`${base}/x/tags/v1`)).status).toBe(404)
})

test('a tag is deleted, by those who may', async () => {
  const page = `${base}/${id}/tags/gone`
  const other = await make.image(id, 'gone', { tags: ['gone'] })
  expect(other).toBeGreaterThan(0)
  const fields = { id: 'Team/App', repository_id: String(id), tag_name: 'gone' }
  expect((await guest.browser.send(page, 'project_registry.delete_tag', fields)).status).toBe(403)
  const sent = await owner.browser.send(page, 'project_registry.delete_tag', fields, `${base}/${id}`)
  expect([sent.status, sent.location]).toEqual([303, `${base}/${id}`])
  expect((await owner.browser.get(page)).status).toBe(404)
})

test('expressions show what they would delete before anything goes, and what is left while it goes', async () => {
  const deletion = `${base}/${id}/deletion`
  const { html: form } = await owner.browser.get(deletion)
  expect(form).toContain('name="name_regex_delete"')
  expect(form).not.toContain('name="_operation"')
  const query = `name_regex_delete=v.*&keep_n=1`
  const { status, html } = await owner.browser.get(`${deletion}?${query}&name_regex_keep=&older_than=`)
  const waiting = await owner.browser.get(`${deletion}?${query}&running=1`)
  expect(textOf(waiting.html)).toContain('The tags are being deleted: 1 tag left.')
  expect(waiting.html).toContain('http-equiv="refresh"')
  expect(waiting.html).toMatch(/<meta http-equiv="refresh" content="5; url=[^"]*running=2"/)
  const long = await owner.browser.get(`${deletion}?${query}&running=40`)
  expect(textOf(long.html)).toContain('1 tag left. The deletion takes long, or has ended without them. Look again')
  expect(long.html).not.toContain('http-equiv="refresh"')
  expect([status, namesIn(html)]).toEqual([200, ['v1']])
  expect(textOf(html)).toContain('1 tag would be deleted, oldest first')
  const fields = { id: 'Team/App', repository_id: String(id), name_regex_delete: 'v.*', keep_n: '1' }
  const running = `${deletion}?${query}&running=1`
  const sent = await owner.browser.send(`${deletion}?${query}`, 'project_registry.delete_tags', fields, running)
  expect([sent.status, sent.location]).toEqual([303, running])
  await server.app.platform.jobs.drain()
  const after = await owner.browser.get(running)
  expect(textOf(after.html)).toContain('The tags are deleted.')
  expect(after.html).not.toContain('http-equiv="refresh"')
  const again = await owner.browser.send(`${deletion}?${query}`, 'project_registry.delete_tags', fields)
  expect([again.status, textOf(again.html)]).toEqual([429, expect.stringContaining('at most once an hour')])
})

test('an expression that is none is refused beside its field', async () => {
  const query = new URLSearchParams({ name_regex_delete: `${hostile}(` })
  const { status, html } = await owner.browser.get(`${base}/${id}/deletion?${query}`)
  expect([status, html.includes(hostile)]).toEqual([200, false])
  expect(html).toContain('aria-invalid="true"')
  expect(textOf(html)).toContain('is an invalid regexp')
  expect((await guest.browser.get(`${base}/${id}/deletion?name_regex_delete=.*`)).status).toBe(403)
})

test('the policy is changed by a form that knows its values, and shows its next run', async () => {
  const page = `${base}/cleanup_policy`
  const { html } = await owner.browser.get(page)
  expect(textOf(html)).toContain('Tags stay until they are deleted.')
  const policy = 'container_expiration_policy_attributes'
  expect(html).toMatch(new RegExp(`<select[^>]*name="${policy}\\[cadence\\]"`))
  expect(html).not.toContain(`name="${policy}[name_regex]"`)
  const changes = { enabled: 'true', cadence: '7d', keep_n: '', name_regex_delete: 'v.*', name_regex_keep: hostile }
  const fields = Object.entries(changes).map(([name, value]) => [`${policy}[${name}]`, value])
  const sent = await owner.browser.send(page, 'projects.update', { id: 'Team/App', ...Object.fromEntries(fields) })
  expect(sent.status).toBe(303)
  const shown = await owner.browser.get(page)
  expect([shown.html.includes(hostile), shown.html.includes('datetime="2026-05-17T00:00:00.000Z"')]).toEqual([
    false,
    true,
  ])
  const { body } = await owner.get('/projects/Team%2FApp')
  expect(body.container_expiration_policy).toMatchObject({ enabled: true, keep_n: null, name_regex: 'v.*' })
  const { html: asGuest } = await guest.browser.get(page)
  expect(asGuest).not.toContain('name="_operation"')
})

test('the deletion of a repository is seen, and its pages refresh meanwhile', async () => {
  const project = await owner.get('/projects/Team%2FApp')
  const leaving = await make.repository({ id: project.body.id, full_path: 'Team/App' }, 'leaving')
  await make.image(leaving, 'leaving', { tags: ['v1'] })
  const fields = { id: 'Team/App', repository_id: String(leaving) }
  const page = `${base}/${leaving}`
  await make.change(leaving, { status: 'delete_scheduled' })
  for (const path of [base, page, '/groups/Team/-/container_registries']) {
    const { html } = await owner.browser.get(path)
    expect(textOf(html), path).toMatch(/Deletion (scheduled|ongoing)/)
    expect(html, path).toContain('http-equiv="refresh"')
  }
  expect((await owner.browser.get(page)).html).not.toContain('project_registry.delete')
  await make.change(leaving, { status: 'delete_failed' })
  const failed = await owner.browser.get(page)
  expect([textOf(failed.html), failed.html.includes('http-equiv="refresh"')]).toEqual([
    expect.stringContaining('Deletion failed'),
    false,
  ])
  expect((await owner.browser.send(page, 'project_registry.delete', fields, base)).status).toBe(303)
  await server.app.platform.jobs.drain()
  expect((await owner.browser.get(page)).status).toBe(404)
  expect((await owner.browser.get(base)).html).not.toContain('http-equiv="refresh"')
})

test('visitors see the images of public projects, and no buttons', async () => {
  const open = await server.make.project('open', owner, { visibility: 'public' })
  const images = await make.repository(open)
  await make.image(images, 'open', { tags: ['v1'] })
  const { status, html } = await visitorOf(server).get(`/keeper/open/-/container_registry/${images}`)
  expect([status, namesIn(html)]).toEqual([200, ['v1']])
  expect(html).not.toContain('project_registry.')
  expect(html).toMatch(/value="docker pull [^"]+\/keeper\/open"/)
  expect((await guest.browser.get(base)).status).toBe(403)
})
