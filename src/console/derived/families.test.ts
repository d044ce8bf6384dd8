import { beforeAll, describe, expect, test } from 'vitest'
import { openWorkTree, startTestServer, type TestServer } from '../../testing/index.ts'
import type { Level, Page } from '../page.ts'
import { readText } from '../testing.ts'
import { families } from './families.ts'
import { type Browser, browserOf, formOf, formsOf, type Shown } from './testing.ts'
import { type Walk, walksOf, walksOfCallers, walksOfGroups, walksOfInstance, walksOfProjects } from './walks-testing.ts'

const walks: Readonly<Record<Level, Readonly<Record<string, Walk>>>> = {
  project: { ...walksOf('project'), ...walksOfProjects },
  group: { ...walksOf('group'), ...walksOfGroups },
  instance: { ...walksOfCallers, ...walksOfInstance },
}

let server: TestServer
let [root, owner, guest]: Browser[] = []

const bases: Readonly<Record<Level, string>> = { project: '/team/app/-/', group: '/groups/team/-/', instance: '/' }

beforeAll(async () => {
  server = await startTestServer()
  const [owning, visiting] = [await server.user('owning'), await server.user('visiting')]
  await server.user('newcomer')
  const namespace = await server.make.group('team', owning)
  const project = await server.make.project('app', owning, { namespace })
  await server.make.member({ namespace }, visiting, 10)
  await using tree = await openWorkTree(server, project)
  await tree.commit('Begin', { 'README.md': 'a', '.gitlab-ci.yml': 'job:\n  script: echo\n' })
  await tree.push(owning, 'HEAD:main')
  await tree.commit('Feature', { 'feature.txt': 'a' })
  await tree.push(owning, 'HEAD:feature')
  root = await browserOf(server, { id: 1 })
  owner = await browserOf(server, owning)
  guest = await browserOf(server, visiting)
  return () => server[Symbol.asyncDispose]()
})

/** Requires that a page is whole and that nothing of users runs in it. */
function expectWhole(shown: Shown, status = 200): string {
  const [, problem = ''] = /<p class="problem"[^>]*>([\s\S]*?)<\/p>/.exec(shown.html) ?? []
  expect(shown.status, readText(problem)).toBe(status)
  expect(shown.html).not.toContain('<script>alert')
  return shown.html
}

const isForAdministrators = (path: string) => /^(admin\/|custom_attributes|storage_moves)/.test(path)

const pageAt = (at: Level, path: string): Page | undefined =>
  families.find((page) => page.at === at && page.path === path)

/** The links of the rows of a list. */
const rowsOf = (html: string) =>
  [...html.matchAll(/<a class="strong" href="([^"]*)"/g)].map(([, href = '']) => readText(href))

async function create(browser: Browser, address: string, at: Level, path: string, walk: Walk): Promise<void> {
  const { html } = await browser.get(`${address}/new`)
  const [operation] = pageAt(at, `${path}/new`)?.performs ?? []
  const form = formOf(html, operation?.id ?? '')
  const missing = form.fields.filter(
    ({ name, isRequired, value }) => isRequired && value === '' && !(name in (walk.create ?? {})),
  )
  expect(missing).toEqual([])
  const sent = await browser.send(form, walk.create)
  const isShown = form.fields.some(({ name }) => name === '_shows')
  expectWhole(sent, isShown ? 200 : 303)
  if (isShown) expect(sent.html).toContain('not shown again')
}

async function change(browser: Browser, one: string, at: Level, path: string, walk: Walk): Promise<void> {
  const shown = await browser.get(one)
  if (!shown.html.startsWith('<!doctype')) return expect(shown.status).toBe(200)
  const html = expectWhole(shown)
  const own = formsOf(html).filter(({ fields }) => fields.length > 0)
  const update = pageAt(at, `${path}/:one`)?.performs?.[0]
  if (!walk.change || !update) return
  expect(own.map(({ operation }) => operation)).toContain(update.id)
  expectWhole(await browser.send(formOf(html, update.id), walk.change), 303)
}

async function remove(
  browser: Browser,
  address: string,
  one: string,
  at: Level,
  path: string,
  walk: Walk,
): Promise<void> {
  const [operation] = pageAt(at, `${path}/:one/delete`)?.performs ?? []
  if (!operation) return
  const [place, query] = one.split('?')
  const asked = `${place}/delete${query ? `?${query}` : ''}`
  const html = expectWhole(await browser.get(asked))
  expectWhole(await browser.send(formOf(html, operation.id)), 303)
  if (!walk.stays) expect(rowsOf(expectWhole(await browser.get(address)))).not.toContain(one)
}

describe.each(['project', 'group', 'instance'] as const)('families of a %s', (at) => {
  test.each(Object.entries(walks[at]).filter(([path]) => !pageAt(at, path)?.performs || pageAt(at, `${path}/new`)))(
    '%s: list, create, one, change, delete',
    async (path, walk) => {
      const browser = isForAdministrators(path) ? root : owner
      if (!browser) throw new Error('no browser')
      const address = `${bases[at]}${path}`
      const before = rowsOf(expectWhole(await browser.get(address)))
      await create(browser, address, at, path, walk)
      const after = rowsOf(expectWhole(await browser.get(address)))
      if (walk.makesNothing) return
      const made = after.filter((row) => !before.includes(row))
      expect(made).toHaveLength(1)
      const [one = ''] = made
      await change(browser, one, at, path, walk)
      const [now = one] = rowsOf(expectWhole(await browser.get(address))).filter((row) => !before.includes(row))
      await remove(browser, address, now, at, path, walk)
    },
  )

  test('every family with a form for a new one has a walk', () => {
    const creating = families.filter((page) => page.at === at && page.path.endsWith('/new') && !page.path.includes(':'))
    const walked = [...Object.keys(walks[at]), 'projects', 'groups', 'storage_moves', 'profile/gpg_keys']
    const missing = creating.map(({ path }) => path.replace(/\/new$/, '')).filter((path) => !walked.includes(path))
    expect(missing.filter((path) => !path.endsWith('storage_moves'))).toEqual([])
  })
})

test('every page that needs nothing to be there opens for administrators', async () => {
  const open = families.filter(({ path }) => !path.includes(':'))
  for (const { at, path } of open) {
    const shown = await root?.get(`${bases[at]}${path}`)
    expect(shown?.status, `${at} ${path}`).toBe(200)
  }
})

test('a guest sees no buttons, and gets the refusal of the API for a form that is sent anyway', async () => {
  for (const at of ['project', 'group', 'instance'] as const) {
    for (const [path, walk] of Object.entries(walks[at])) {
      // Guests attach files to what they write, although they do not see the list.
      if (path.startsWith('profile/') || path === 'uploads' || walk.isOfGuests || !guest || !owner || !root) continue
      const address = `${bases[at]}${path}`
      const shown = await guest.get(address)
      expect([200, 401, 403, 404], path).toContain(shown.status)
      const buttons = formsOf(shown.html).filter(({ operation }) => operation !== '')
      expect(
        buttons.filter(({ operation }) => !/subscribe/.test(operation)),
        path,
      ).toEqual([])
      expect(shown.html, path).not.toContain(`${path}/new"`)
      expect((await guest.get(`${address}/new`)).status, path).toBe(404)
      if (!pageAt(at, `${path}/new`)) continue
      const { html } = await (isForAdministrators(path) ? root : owner).get(`${address}/new`)
      const [form] = formsOf(html).filter(({ operation }) => operation !== '')
      if (form) expect([401, 403, 404], path).toContain((await guest.send(form, walk.create)).status)
    }
  }
})
