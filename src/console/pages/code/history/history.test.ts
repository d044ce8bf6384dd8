import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../../infra/clock/index.ts'
import { imported, importStream, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { type Browser, linksIn, personWithBrowser } from '../testing.ts'

const stream = importStream([
  { message: 'First\n', files: [['100644', 'README.md', '# Hello\n']] },
  { message: 'Second\n', files: [['100644', 'a.txt', 'a\n']] },
  { message: 'Side\n', files: [['100644', 'side.txt', 'side\n']], branch: 'feature/x' },
])

let server: TestServer
let browser: Browser

beforeAll(async () => {
  // The commits are of November 2023.
  server = await startTestServer({ clock: manualClock({ start: '2023-12-01T00:00:00Z' }) })
  const owner = await personWithBrowser(server, 'owner')
  await imported(server, owner, 'demo', stream)
  browser = owner.browser
})
afterAll(() => server.stop())

const base = '/owner/demo/-'

test('branches say how far they are from the default branch', async () => {
  const { html } = await browser.get(`${base}/branches`)
  expect(html.match(/aria-label="[^"]* of the default branch"/g)).toEqual([
    'aria-label="2 behind, 1 ahead of the default branch"',
  ])
})

test('files are found by letters of their paths', async () => {
  const found = async (query: string) => {
    const { status, html } = await browser.get(`${base}/find_file/main${query}`)
    return [status, linksIn(html).filter((link) => link.startsWith(`${base}/blob/`))]
  }
  expect(await found('?search=rdm')).toEqual([200, [`${base}/blob/main/README.md`]])
  expect(await found('')).toEqual([200, [`${base}/blob/main/README.md`, `${base}/blob/main/a.txt`]])
  expect(await found('?search=none')).toEqual([200, []])
  expect((await browser.get(`${base}/find_file/feature/x?search=side`)).html).toContain(
    `${base}/blob/feature/x/side.txt`,
  )
  expect((await browser.get(`${base}/find_file/none`)).status).toBe(404)
  for (const page of ['/owner/demo', `${base}/tree/main`, `${base}/blob/main/a.txt`])
    expect(linksIn((await browser.get(page)).html)).toContain(`${base}/find_file/main`)
})

test('contributors stand below the commits by week', async () => {
  const { html } = await browser.get(`${base}/graphs/main`)
  expect(html).toContain('Commits by week, 2022-12-05 to 2023-11-27: 2 commits, at most 2 (2023-11-13).')
  expect(html.match(/<rect class="none"/g)).toHaveLength(51)
  expect(html).toMatch(/<th scope="row">Ada<\/th>/)
})

test.each([
  ['tree/main', 'tree'],
  ['blob/main/a.txt', 'tree'],
  ['blame/main/a.txt', 'tree'],
  ['edit/main/a.txt', 'tree'],
  ['delete/main/a.txt', 'tree'],
  ['new/main', 'tree'],
  ['find_file/main', 'tree'],
  ['commits/main/a.txt', 'commits'],
  ['commit/main', 'commits'],
  ['compare/main...feature/x', 'compare'],
  ['graphs/main', 'graphs'],
])('%s is marked in the navigation as %s', async (page, marked) => {
  const { html } = await browser.get(`${base}/${page}`)
  const [, side = ''] = /<nav class="side"(.*?)<\/nav>/s.exec(html) ?? []
  expect(side.match(/<a href="[^"]*" aria-current="page"/g)).toEqual([
    `<a href="${base}/${marked}" aria-current="page"`,
  ])
})
