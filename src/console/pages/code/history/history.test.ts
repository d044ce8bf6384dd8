import { afterAll, beforeAll, expect, test } from 'vitest'
import { imported, importStream, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { type Browser, personWithBrowser } from '../testing.ts'

const stream = importStream([
  { message: 'First\n', files: [['100644', 'README.md', '# Hello\n']] },
  { message: 'Second\n', files: [['100644', 'a.txt', 'a\n']] },
  { message: 'Side\n', files: [['100644', 'side.txt', 'side\n']], branch: 'feature/x' },
])

let server: TestServer
let browser: Browser

beforeAll(async () => {
  server = await startTestServer()
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
