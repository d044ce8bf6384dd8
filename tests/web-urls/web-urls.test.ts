/** Every `web_url` that the API gives is a page of that object. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../src/console/derived/testing.ts'
import { readText } from '../../src/console/testing.ts'
import { modules } from '../../src/modules.ts'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'
import { collectAddresses, type Found } from './collect.ts'
import { fillWorld } from './world.ts'

let server: TestServer
let browser: Browser
let found: Found[]
beforeAll(async () => {
  server = await startTestServer()
  await fillWorld(server)
  found = await collectAddresses(
    server,
    modules.flatMap(({ operations = [] }) => operations),
  )
  browser = await browserOf(server, { id: 1 })
  return () => server[Symbol.asyncDispose]()
}, 120_000)

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The page of an address, after the redirects that a browser follows. */
async function pageOf(address: string): Promise<{ status: number; text: string }> {
  for (let path = address, steps = 0; steps < 4; steps += 1) {
    const { status, html, location } = await browser.get(path)
    if (!location) return { status, text: plain(readText(html.replace(/<[^>]*>/g, ' '))) }
    path = location
  }
  throw new Error(`${address} leads in circles`)
}

/** What people call an object. */
function nameOf({ title, name, ref, description }: Found['object']): string {
  return plain(String([title, name, ref, description].find((one) => typeof one === 'string' && one !== '') ?? ''))
}

test('the answers of the API have an address of each kind', () => {
  const kinds = new Set(found.map(({ address }) => /\/-\/([a-z_]+)/.exec(address)?.[1] ?? 'home'))
  expect([...kinds].sort()).toEqual([
    ...['alert_management', 'commit', 'epics', 'home', 'issues', 'iterations', 'jobs', 'merge_requests'],
    ...['milestones', 'pipelines', 'snippets', 'tree'],
  ])
})

test('every address is a page that names its object', async () => {
  const wrong: string[] = []
  for (const { address, object, path } of found) {
    const { status, text } = await pageOf(address)
    const name = nameOf(object)
    if (status !== 200) wrong.push(`${path}: ${address}: ${status}`)
    else if (!text.includes(name)) wrong.push(`${path}: ${address}: without ${name}`)
  }
  expect(wrong).toEqual([])
}, 120_000)
