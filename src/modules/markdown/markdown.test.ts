import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let owner: Person
let guest: Person
let outsider: Person
let path: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('marker')
  guest = await server.user('guest')
  outsider = await server.user('outsider')
  const project = await server.make.project('marked', owner)
  path = project.full_path
  await server.make.member({ project }, guest, 10)
  const issues = `/projects/${project.id}/issues`
  expect((await owner.post(issues, { title: 'One' })).status).toBe(201)
  expect((await owner.post(issues, { title: 'Two', confidential: true })).status).toBe(201)
})
afterAll(() => server?.stop())

const render = async (client: Client, params: object) => {
  const { status, body } = await client.post('/markdown', params)
  expect([status, body]).toEqual([201, { html: expect.any(String) }])
  return body.html as string
}
const linksOf = (html: string) => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, address]) => address)

describe('x.markdown', () => {
  test('renders blocks with their positions', async () => {
    const html = await render(guest, { text: '# T\n\nfoo\nbar\n\n- [x] done\n\n```js\na\n```' })
    expect(html).toContain('<h1 data-sourcepos="1:1-1:3" dir="auto">T</h1>')
    expect(html).toContain('<p data-sourcepos="3:1-4:3" dir="auto">foo\nbar</p>')
    expect(html).toContain('<input type="checkbox" class="task-list-item-checkbox" disabled checked> done')
    expect(html).toContain('data-canonical-lang="js"')
    expect((await guest.post('/markdown', { text: '' })).status).toBe(201)
  })

  test('links only what the caller may read', async () => {
    const text = `#1 #2 #99 ${path}#1 @guest @nobody-here`
    const [one, two] = [1, 2].map((iid) => `${server.url}/${path}/-/issues/${iid}`)
    const links = async (client: Client, params: object) => linksOf(await render(client, { text, ...params }))
    expect(await links(owner, { gfm: true, project: path })).toEqual([one, two, one, `${server.url}/guest`])
    expect(await links(guest, { gfm: true, project: path })).toEqual([one, one, `${server.url}/guest`])
    expect(await links(guest, { gfm: true })).toEqual([one, `${server.url}/guest`])
    expect(await links(outsider, { gfm: true })).toEqual([`${server.url}/guest`])
    expect(await links(server.root, { gfm: true, project: path })).toEqual([one, two, one, `${server.url}/guest`])
    expect(await links(owner, { project: path })).toEqual([])
  })

  test('links labels, milestones, snippets, commits and addresses', async () => {
    const { body: made } = await owner.post('/projects', {
      name: 'Referred',
      path: 'referred',
      initialize_with_readme: true,
    })
    const base = `/projects/${made.id}`
    const at = `${server.url}/${made.path_with_namespace}/-`
    expect((await owner.post(`${base}/labels`, { name: 'in work', color: '#f00' })).status).toBe(201)
    expect((await owner.post(`${base}/labels`, { name: 'bug', color: '#f00' })).status).toBe(201)
    const { body: milestone } = await owner.post(`${base}/milestones`, { title: 'v1.0' })
    const snippet = { title: 's', file_name: 'a.txt', content: 'a', visibility: 'private' }
    const { body: kept } = await owner.post(`${base}/snippets`, snippet)
    expect((await owner.post(`${base}/issues`, { title: 'One' })).status).toBe(201)
    const [commit] = (await owner.get(`${base}/repository/commits`)).body
    const { id: sha } = commit
    const text = `~bug ~"in work" ~none %v1.0 %"v1.0" %v2 $${kept.id} $99999 ${sha} ${sha.slice(0, 8)}..${sha.slice(0, 9)} deadbeef defaced 1234567`
    const label = (name: string) => `${at}/issues?labels=${name}`
    const expected = [
      ...[label('bug'), label('in%20work'), `${at}/milestones/${milestone.id}`, `${at}/milestones/${milestone.id}`],
      ...[`${at}/snippets/${kept.id}`, `${at}/commit/${sha}`, `${at}/compare/${sha}...${sha}`],
    ]
    const params = { gfm: true, project: made.path_with_namespace }
    expect(linksOf(await render(owner, { text, ...params }))).toEqual(expected)
    expect(linksOf(await render(owner, { text, gfm: true }))).toEqual([])
    const address = `${at}/issues/1`
    const shown = await render(owner, { text: `${address} ${address}#note_7 ${at}/issues/99`, ...params })
    expect(shown).toContain(`<a href="${address}">#1</a>`)
    expect(shown).toContain(`<a href="${address}#note_7">#1 (comment 7)</a>`)
    expect(shown).toContain(`>${at}/issues/99</a>`)
    await server.make.member({ project: made }, guest, 10)
    const ofGuest = linksOf(await render(guest, { text, ...params }))
    expect(ofGuest).toEqual(expected.filter((link) => !/commit|compare/.test(link)))
    expect((await outsider.post('/markdown', { text, ...params })).status).toBe(404)
  })

  test('has the forms of gfm only where they are asked for', async () => {
    const text = '# T\n\n:tada: $a$ `#fff`\n\n[TOC]\n\na[^1]\n\n[^1]: b'
    const plain = await render(guest, { text })
    expect(plain).toContain(':tada: $a$ <code>#fff</code>')
    expect(plain).toContain('<section class="footnotes">')
    const whole = await render(guest, { text, gfm: true })
    for (const part of ['id="user-content-t"', '🎉', 'data-math-style="inline"', '<rect ', 'href="#user-content-t"']) {
      expect(whole).toContain(part)
    }
  })

  test('links references to trackers elsewhere, by their settings', async () => {
    const { body: made } = await owner.post('/projects', { name: 'Tracked', path: 'tracked' })
    const at = `/projects/${made.id}`
    const links = async (text: string) =>
      linksOf(await render(owner, { text, gfm: true, project: made.path_with_namespace }))
    const text = 'ABC-12, (DE_2-3) x-ABC-4 ABC-5x #7 `ABC-6` aABC-7 [ABC-8](https://own.example/)'
    const own = 'https://own.example/'
    expect(await links(text)).toEqual([own])
    const issues_url = 'https://tracker.example/issues/:id?a=<b>'
    const custom = { project_url: 'https://tracker.example/', issues_url, new_issue_url: 'https://tracker.example/new' }
    expect((await owner.put(`${at}/integrations/custom-issue-tracker`, custom)).status).toBe(200)
    const of = (id: string) => `https://tracker.example/issues/${id}?a=&lt;b&gt;`
    expect(await links(text)).toEqual([of('ABC-12'), of('DE_2-3'), own])
    await owner.post(`${at}/issues`, { title: 'One' })
    const first = `${server.url}/${made.path_with_namespace}/-/issues/1`
    expect(await links('#1 #2')).toEqual([first])
    await owner.put(at, { issues_access_level: 'disabled' })
    expect(await links('#1 #2')).toEqual([of('1'), of('2')])
    await owner.delete(`${at}/integrations/custom-issue-tracker`)
    expect(await links(`${text} #1`)).toEqual([own])
    const jira = { url: 'https://jira.example/', password: 'p', username: 'u', jira_issue_prefix: 'J#' }
    const browse = (id: string) => `https://jira.example/browse/${id}`
    await owner.put(`${at}/integrations/jira`, jira)
    expect(await links('J#ABC-1 ABC-2 #3 jJ#ABC-4')).toEqual([browse('ABC-1')])
    await owner.put(`${at}/integrations/jira`, { ...jira, jira_issue_prefix: '', jira_issue_regex: '[a-z]+:\\d+' })
    expect(await links('ab:1 ABC-2 xab:')).toEqual([browse('ab%3A1')])
    for (const jira_issue_regex of ['(', 'x*', '(a+)+$', '.{1000}']) {
      await owner.put(`${at}/integrations/jira`, { ...jira, jira_issue_prefix: '', jira_issue_regex })
      expect(await links(`${'a'.repeat(30_000)} - AB-1`)).toEqual([])
    }
    await owner.put(`${at}/integrations/jira`, { ...jira, jira_issue_prefix: '', jira_issue_regex: '' })
    expect(await links(`${'A_'.repeat(30_000)} AB-1`)).toEqual([browse('AB-1')])
  })

  test('leads uploads and files to those of the project', async () => {
    const text =
      '[a](docs/a.md) ![b](/uploads/0123456789abcdef0123456789abcdef/b.png) [c](#d) [e](https://other.example/)'
    const html = await render(guest, { text, gfm: true, project: path })
    expect(html).toContain(`href="${server.url}/${path}/-/blob/HEAD/docs/a.md"`)
    expect(html).toMatch(/src="[^"]*\/-\/project\/\d+\/uploads\/0123456789abcdef0123456789abcdef\/b\.png"/)
    expect(html).toContain('<a href="https://other.example/" rel="nofollow noreferrer noopener" target="_blank">')
    expect(html).toContain('<a href="#user-content-d">')
  })

  test('answers 404 for a project that the caller cannot see, and for ids', async () => {
    for (const [client, project] of [
      [outsider, path],
      [owner, 'no/such'],
      [owner, '1'],
      [owner, '../../etc/passwd'],
      [owner, `${path}%2F..`],
    ] as const) {
      const { status, body } = await client.post('/markdown', { text: '#1', gfm: true, project })
      expect([project, status, body]).toEqual([project, 404, { message: '404 Project Not Found' }])
    }
  })

  test('needs a text and a caller', async () => {
    expect((await server.anonymous.post('/markdown', { text: 'a' })).status).toBe(401)
    expect(await guest.post('/markdown', {})).toMatchObject({ status: 400, body: { error: 'text is missing' } })
    const long = await guest.post('/markdown', { text: 'ä'.repeat(600_000) })
    expect([long.status, long.body]).toEqual([
      400,
      { message: '400 Bad request - text is too long (maximum is 1048576 bytes)' },
    ])
  })

  test('shows nothing hostile', async () => {
    for (const text of [
      '<script>alert(1)</script>',
      '[a](javascript:alert(1))',
      '![a](data:text/html,x)',
      '<b onclick=x>',
    ]) {
      const html = await render(guest, { text, gfm: true })
      expect(html).not.toMatch(/<script|<b |(?:href|src)="(?:javascript|data):/)
    }
    for (const text of [
      '#1 '.repeat(50_000),
      '@a'.repeat(100_000),
      '['.repeat(60_000),
      '> '.repeat(5_000),
      '`'.repeat(90_000),
      Array.from({ length: 2_000 }, (_, index) => `~l${index} %m${index} $${index} ${index}abcdef0`).join(' '),
    ]) {
      expect((await guest.post('/markdown', { text, gfm: true, project: path })).status).toBe(201)
    }
  })
})
