import { beforeAll, expect, test } from 'vitest'
import { openWorkTree, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { readText } from '../testing.ts'
import { type Browser, browserOf, formOf, formsOf, type Shown } from './testing.ts'
import { hostile } from './walks-testing.ts'

let server: TestServer
let person: { owner: Person; other: Person }
let browser: { root: Browser; owner: Browser; other: Browser }

beforeAll(async () => {
  server = await startTestServer()
  person = { owner: await server.user('owning'), other: await server.user('asking') }
  const namespace = await server.make.group('team', person.owner)
  const project = await server.make.project('app', person.owner, { namespace, visibility: 'public' })
  await using tree = await openWorkTree(server, project)
  await tree.commit('Begin', { '.gitlab-ci.yml': 'one: { script: [date] }' })
  await tree.push(person.owner, 'HEAD:main')
  browser = {
    root: await browserOf(server, { id: 1 }),
    owner: await browserOf(server, person.owner),
    other: await browserOf(server, person.other),
  }
  return () => server[Symbol.asyncDispose]()
})

const app = '/team/app/-/'
const strongLinks = ({ html }: Shown) =>
  [...html.matchAll(/<a class="strong" href="([^"]*)"/g)].map(([, href = '']) => readText(href))

/** Opens a page, writes into the form of an operation and sends it. */
async function fill(
  by: Browser,
  path: string,
  operation: string,
  values: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Shown> {
  const shown = await by.get(path)
  expect(shown.status, path).toBe(200)
  expect(shown.html).not.toContain('<script>alert')
  return by.send(formOf(shown.html, operation), values)
}

const api = (path: string) => person.owner.get(`/projects/team%2Fapp${path}`).then(({ body }) => body)

test('settings are changed where they are shown, and what was not written stays', async () => {
  const before = await api('')
  const written = { description: hostile, topics: 'one\r\ntwo' }
  const sent = await fill(browser.owner, `${app}edit`, 'projects.update', written)
  expect([sent.status, sent.location]).toEqual([303, '/team/app/-/edit?saved=1'])
  const { updated_at, description_html, ...after } = await api('')
  expect(after).toMatchObject({ description: hostile, topics: ['one', 'two'] })
  const changed = { description: hostile, topics: after.topics, tag_list: after.tag_list }
  expect({ ...after, updated_at, description_html }).toEqual({ ...before, updated_at, description_html, ...changed })
  expect((await browser.owner.get(sent.location ?? '')).html).toContain('Saved.')
})

test('settings of groups, of the instance and of callers are changed', async () => {
  const saved = [
    await fill(browser.owner, '/groups/team/-/edit', 'groups.update', { description: hostile }),
    await fill(browser.root, '/admin/application_settings', 'settings.update', { default_projects_limit: '7' }),
    await fill(browser.root, '/admin/plan_limits', 'plan_limits.update', { ci_pipeline_size: '5' }),
    await fill(browser.owner, '/-/profile/status', 'user_status.put', { message: hostile }),
    await fill(browser.owner, '/-/profile/preferences', 'user_preferences.put', { view_diffs_file_by_file: 'true' }),
  ]
  expect(saved.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303])
  expect((await server.root.get('/application/settings')).body.default_projects_limit).toBe(7)
  expect((await person.owner.get('/user/status')).body.message).toBe(hostile)
})

test('rules that are not there are created on the page, changed and deleted', async () => {
  const path = `${app}push_rule`
  await fill(browser.owner, path, 'project_push_rules.create', { commit_message_regex: hostile })
  await fill(browser.owner, path, 'project_push_rules.update', { commit_message_regex: '', max_file_size: '3' })
  expect(await api('/push_rule')).toMatchObject({ commit_message_regex: '', max_file_size: 3 })
  expect((await fill(browser.owner, `${path}/delete`, 'project_push_rules.delete')).location).toBe(path)
  expect((await browser.owner.get(path)).html).toContain('No push rules yet')
})

test('an export is a file once it has one, and its members before that and in batches', async () => {
  const path = `${app}export_relations/labels`
  const request = async (batched: boolean) => {
    expect((await person.owner.post('/projects/team%2Fapp/export_relations', { batched })).status).toBe(202)
    await expect.poll(() => api('/export_relations/status?relation=labels')).toMatchObject([{ status: 1, batched }])
  }
  await request(true)
  const divided = await browser.owner.get(path)
  expect([divided.status, divided.html.includes('Batches count')]).toEqual([200, true])
  await request(false)
  const whole = await browser.owner.get(path)
  expect([whole.status, whole.html.includes('<')]).toEqual([200, false])
})

test('projects and groups are created at the addresses that people know', async () => {
  const made = await fill(browser.owner, '/projects/new', 'projects.create', {
    name: 'Made',
    namespace_id: '',
    path: 'made',
  })
  expect(made.location).toBe('/owning/made')
  const group = await fill(browser.owner, '/groups/new', 'groups.create', { name: 'Inner', path: 'inner' })
  expect(group.location).toBe('/groups/inner')
  expect((await browser.owner.get('/groups/new?name=Asked')).html).toContain('value="Asked"')
})

test('a refused form is shown again with its values and the problems', async () => {
  const sent = await fill(browser.owner, `${app}labels/new`, 'project_labels.create', {
    name: hostile,
    color: 'no colour',
  })
  expect(sent.status).toBe(400)
  expect(sent.html).toContain('role="alert"')
  const fields = formOf(sent.html, 'project_labels.create').fields
  expect(fields.find(({ name }) => name === 'name')?.value).toBe(hostile)
})

test('a schedule has variables, and runs now', async () => {
  await fill(browser.owner, `${app}pipeline_schedules/new`, 'pipeline_schedules.create', {
    description: 'Nightly',
    ref: 'main',
  })
  const list = await browser.owner.get(`${app}pipeline_schedules`)
  const [schedule = ''] = strongLinks(list)
  const variable = { key: 'A', value: 'two\r\nlines' }
  await fill(browser.owner, `${schedule}/variables/new`, 'pipeline_schedule_variables.create', variable)
  const [one = ''] = strongLinks(await browser.owner.get(`${schedule}/variables`))
  expect(formOf((await browser.owner.get(one)).html, 'pipeline_schedule_variables.update').fields).toContainEqual(
    expect.objectContaining({ name: 'value', value: 'two\nlines' }),
  )
  expect((await browser.owner.send(formOf(list.html, 'pipeline_schedules.play'))).status).toBe(303)
  expect((await fill(browser.owner, `${one}/delete`, 'pipeline_schedule_variables.delete')).location).toBe(
    `${schedule}/variables`,
  )
  expect((await browser.owner.get(`${schedule}/pipelines`)).status).toBe(200)
  // A caller who may not gets a refusal, and sees no button.
  expect((await browser.other.send(formOf(list.html, 'pipeline_schedules.play'))).status).toBeGreaterThanOrEqual(400)
})

test('an access request is approved or denied', async () => {
  await person.other.post('/projects/team%2Fapp/access_requests')
  const path = `${app}access_requests`
  expect((await fill(browser.owner, path, 'project_access_requests.approve')).status).toBe(303)
  expect((await browser.owner.get(`${app}project_members`)).html).toContain('asking person')
  expect((await browser.owner.get(path)).html).toContain('No access requests yet')
})

test('a token is shown once, and rotated', async () => {
  const values = { name: 'robot', 'scopes[]': ['read_api'], access_level: '20' }
  const made = await fill(browser.owner, `${app}access_tokens/new`, 'project_access_tokens.create', values)
  expect(made.html).toMatch(/glpat-[\w-]{20}/)
  const list = await browser.owner.get(`${app}access_tokens`)
  expect(list.html).not.toContain('glpat-')
  const rotated = await browser.owner.send(formOf(list.html, 'project_access_tokens.rotate'))
  expect(rotated.html).toMatch(/glpat-[\w-]{20}/)
})

test('a secret that is left empty stays', async () => {
  const hook = { url: 'https://a.example.com/', token: 'secret', push_events: 'true' }
  await fill(browser.owner, `${app}hooks/new`, 'project_hooks.create', hook)
  const [one = ''] = strongLinks(await browser.owner.get(`${app}hooks`))
  const form = formOf((await browser.owner.get(one)).html, 'project_hooks.update')
  expect(form.fields.find(({ name }) => name === 'token')?.value).toBe('')
  expect(form.fields.find(({ name }) => name === '_empty')?.value.split(',')).toContain('token')
  expect((await browser.owner.send(form, { name: 'named' })).status).toBe(303)
  expect((await browser.owner.get(`${one}/events`)).html).toContain('No recent deliveries yet')
})

test('lists are filtered and have pages', async () => {
  for (let index = 1; index <= 21; index++) {
    await person.owner.post('/projects/team%2Fapp/labels', { name: `many ${index}`, color: '#112233' })
  }
  const first = await browser.owner.get(`${app}labels`)
  expect(first.html).toContain('rel="next" href="/team/app/-/labels?page=2"')
  const found = await browser.owner.get(`${app}labels?search=many+7`)
  expect(strongLinks(found)).toHaveLength(1)
  expect((await browser.owner.get(`${app}labels?search=%22%3E%3Cscript%3Ealert(1)`)).html).toContain('No labels match')
})

test('users are blocked and unblocked, and have pages of their own', async () => {
  const path = `/admin/users/${person.other.id}`
  for (const operation of ['users.block', 'users.unblock']) {
    expect((await fill(browser.root, path, operation)).status).toBe(303)
  }
  for (const below of ['keys', 'emails', 'personal_access_tokens', 'custom_attributes']) {
    expect((await browser.root.get(`${path}/${below}`)).status, below).toBe(200)
  }
  const token = await fill(browser.root, `${path}/personal_access_tokens/new`, 'personal_access_tokens.create_for', {
    name: 'made',
    'scopes[]': ['api'],
  })
  expect(token.html).toMatch(/glpat-/)
})

test('one that is called like the page for a new one has a page', async () => {
  await fill(browser.owner, `${app}variables/new`, 'project_variables.create', { key: 'new', value: 'a' })
  const link = strongLinks(await browser.owner.get(`${app}variables`)).find((one) => one.includes('ew?'))
  const shown = await browser.owner.get(link ?? '')
  expect(formsOf(shown.html).map(({ operation }) => operation)).toContain('project_variables.update')
})

test('a visitor who is not signed in is asked to', async () => {
  const visitor = await browserOf(server)
  const shown = await visitor.get(`${app}variables/new`)
  expect([shown.status, shown.location]).toEqual([
    302,
    `/users/sign_in?return_to=${encodeURIComponent(`${app}variables/new`)}`,
  ])
})

test('a person makes a token with the scopes that they choose, until the day that the form proposes', async () => {
  const path = '/-/profile/personal_access_tokens/new'
  const { html } = await browser.owner.get(path)
  const { fields } = formOf(html, 'personal_access_tokens.create_own')
  const offered = fields.filter(({ name, value }) => name === 'scopes[]' && value !== '').map(({ value }) => value)
  expect(offered).toEqual(expect.arrayContaining(['api', 'read_user', 'read_repository']))
  expect(offered).not.toContain('sudo')
  expect(fields.find(({ name }) => name === 'expires_at')?.value).toMatch(/^\d{4}-\d\d-\d\d$/)
  const given = { name: 'mine', 'scopes[]': ['', 'read_user'] }
  const made = await fill(browser.owner, path, 'personal_access_tokens.create_own', given)
  const [, token = ''] = /data-copy="([^"]+)"/.exec(made.html) ?? []
  const { id } = (await person.owner.get('/user')).body
  expect((await server.as(token).get('/user')).body).toMatchObject({ id })
  expect((await server.as(token).get('/projects')).status).toBe(403)
  const root = formOf((await browser.root.get(path)).html, 'personal_access_tokens.create_own')
  expect(root.fields.map(({ value }) => value)).toEqual(expect.arrayContaining(['sudo', 'admin_mode']))
  const forged = await fill(browser.owner, path, 'personal_access_tokens.create_own', {
    ...given,
    'scopes[]': ['sudo'],
  })
  expect([forged.status, forged.html.includes('data-copy')]).toEqual([400, false])
})

test('a person changes their own password on a page of their own', async () => {
  const fields = { current_password: 'wrong', password: 'korrekt-horse-77' }
  const refused = await fill(browser.owner, '/-/profile/password', 'user_password.update', fields)
  expect([refused.status, refused.html.includes('korrekt-horse-77')]).toEqual([400, false])
  const right = { ...fields, current_password: 'korrekt-horse-90' }
  const { status, location } = await fill(browser.owner, '/-/profile/password', 'user_password.update', right)
  expect([status, location]).toEqual([303, '/-/profile/password?saved=1'])
  expect((await browser.owner.get('/-/profile/password?saved=1')).html).toContain('Your password has changed')
})

test('a runner has buttons for those who administer it alone, and a group those who may add one', async () => {
  const maintainer = await server.user('maintaining')
  const { body: group } = await person.owner.get('/groups/team')
  await server.make.member({ namespace: group }, maintainer, 40)
  const { body: project } = await person.owner.get('/projects/team%2Fapp')
  const make = (by: Person | TestServer['root'], given: object) => by.post('/user/runners', given)
  await make(server.root, { runner_type: 'instance_type', description: 'of all' })
  await make(person.owner, { runner_type: 'project_type', project_id: project.id, description: 'of the project' })
  await make(person.owner, { runner_type: 'group_type', group_id: group.id, description: 'of the group' })
  const buttonsFor = async (by: Browser, path: string) => {
    const { html } = await by.get(path)
    const rows = html.split('<tr>').slice(2)
    const named = ['of all', 'of the project', 'of the group'].map((name) => rows.find((row) => row.includes(name)))
    const shown = named.map((row = '') => /Reset the token/.test(row) && /runners\/\d+\/delete/.test(row))
    return [...shown, html.includes('/runners/new')]
  }
  const by = await browserOf(server, maintainer)
  expect(await buttonsFor(by, `${app}runners`)).toEqual([false, true, false, true])
  expect(await buttonsFor(by, '/groups/team/-/runners')).toEqual([false, false, false, false])
  expect(await buttonsFor(browser.owner, '/groups/team/-/runners')).toEqual([false, false, true, true])
  expect(await buttonsFor(browser.root, `${app}runners`)).toEqual([true, true, true, true])
})

test('forms take the names of users and groups, and say which they do not find', async () => {
  const { html } = await browser.owner.get('/groups/team/-/edit')
  expect(html).toContain('without one it moves to the top level. The path of a group, or its number.')
  const [{ body: project }, pushing] = [await person.owner.get('/projects/team%2Fapp'), await server.user('pushing')]
  await server.make.member({ project }, pushing, 30)
  const invited = await server.make.group('invited', person.owner)
  await person.owner.post('/projects/team%2Fapp/share', { group_id: invited.id, group_access: 30 })
  const path = `${app}protected_branches/new`
  const given = (user: string) => ({
    ...{ name: 'named', 'allowed_to_push[0][user_id]': user, 'allowed_to_push[1][group_id]': 'invited' },
  })
  const wrong = await fill(browser.owner, path, 'protected_branches.create', given('nobody'))
  expect([wrong.status, wrong.html.includes('names no user “nobody”')]).toEqual([400, true])
  const { fields } = formOf(wrong.html, 'protected_branches.create')
  expect(fields.find(({ name }) => name === 'allowed_to_push[0][user_id]')).toMatchObject({
    ...{ type: 'text', value: 'nobody' },
  })
  expect((await fill(browser.owner, path, 'protected_branches.create', given('@pushing'))).status).toBe(303)
  expect((await api('/protected_branches/named')).push_access_levels).toMatchObject([
    { user_id: pushing.id },
    { group_id: invited.id },
  ])
})
