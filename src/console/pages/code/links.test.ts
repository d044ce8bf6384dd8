import { afterAll, beforeAll, expect, test } from 'vitest'
import { imported, importStream, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Browser, linksIn, personWithBrowser, visitorOf } from './testing.ts'

const stream = importStream([
  { message: 'First\n', files: [['100644', 'README.md', '# Hello\n']] },
  { message: 'Side\n', files: [['100644', 'side.txt', 'side\n']], branch: 'feature/x' },
])

let server: TestServer
const browsers: Record<string, Browser> = {}

beforeAll(async () => {
  server = await startTestServer()
  const owner = await personWithBrowser(server, 'owner')
  const closed = await imported(server, owner, 'closed', stream, { refs: ['main:refs/tags/v1'] })
  const open = await imported(server, owner, 'open', stream, { visibility: 'public', refs: ['main:refs/tags/v1'] })
  const inside = {
    repository_access_level: 'private',
    builds_access_level: 'private',
    merge_requests_access_level: 'private',
  }
  for (const { id } of [closed, open]) {
    const at = `/projects/${id}`
    await owner.post(`${at}/releases`, { tag_name: 'v1', name: 'One', description: 'Notes' })
    await owner.post(`${at}/wikis`, { title: 'home', content: 'Hello' })
    await owner.post(`${at}/snippets`, { title: 'S', visibility: 'public', files: [{ file_path: 'a', content: 'x' }] })
    await owner.post(`${at}/issues`, { title: 'Issue' })
  }
  await owner.put(`/projects/${open.id}`, inside)
  await server.make.project('empty', owner)
  const hidden = await imported(server, owner, 'hidden', stream)
  await owner.put(`/projects/${hidden.id}`, { repository_access_level: 'disabled' })
  for (const [username, level] of [
    ['guest', 10],
    ['planner', 15],
    ['reporter', 20],
  ] as const) {
    const member = await personWithBrowser(server, username)
    await server.make.member({ project: closed }, member, level)
    browsers[username] = member.browser
  }
  browsers.owner = owner.browser
  browsers.anonymous = visitorOf(server)
})
afterAll(() => server.stop())

/** The links of a project's pages, followed from its home, that are refused. */
async function refusedLinks(browser: Browser, home: string): Promise<string[]> {
  const seen = new Set([home])
  const queue: [path: string, from: string][] = [[home, '']]
  const refused: string[] = []
  for (let next = queue.shift(); next && seen.size < 300; next = queue.shift()) {
    const [path, from] = next
    const { status, html, location, headers } = await browser.get(path)
    if (status >= 400 || location.startsWith('/users/sign_in')) refused.push(`${path} on ${from}: ${status}`)
    const isPage = headers.get('content-type')?.startsWith('text/html')
    for (const link of [...(isPage ? linksIn(html) : []), location].filter(Boolean)) {
      const { pathname, search } = new URL(link, `http://host${path}`)
      const linked = pathname + search
      if (seen.has(linked) || !linked.startsWith(`${home}/-/`)) continue
      seen.add(linked)
      queue.push([linked, path])
    }
  }
  expect(seen.size).toBeGreaterThan(3)
  return refused
}

test.each([
  ['guest', '/owner/closed'],
  ['planner', '/owner/closed'],
  ['reporter', '/owner/closed'],
  ['anonymous', '/owner/open'],
  ['guest', '/owner/open'],
  ['owner', '/owner/empty'],
  ['owner', '/owner/hidden'],
])(
  '%s finds no link in %s that is refused',
  async (name, home) => {
    expect(await refusedLinks(browsers[name] as Browser, home)).toEqual([])
  },
  60_000,
)
