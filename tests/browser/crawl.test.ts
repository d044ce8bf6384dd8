/** Every link of every page leads to a page, as people of five roles, and every page is reached. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { pages } from '../../src/console/index.ts'
import { addressOf, findPage } from '../../src/console/routes.ts'
import { openBrowser, openTab, type PageServer, signIn, startPageServer } from './browser.ts'
import { fill } from './filled/filled.ts'

vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 })

let server: PageServer
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startPageServer(), openBrowser()])
  await fill(server)
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The page that an address leads to. Homes of projects, groups and people differ in the segments of their addresses. */
function routeOf(address: string): string {
  const { at, name, rest } = addressOf(new URL(address).pathname)
  if (at === 'home') return `home of ${name.split('/').length} segments`
  return `${at} ${findPage(pages, at, rest)?.page.path ?? rest}`
}

/** The page of an address with the names in its query: so many of each kind are visited. */
const kindOf = (address: string) => [routeOf(address), ...new URL(address).searchParams.keys()].join(' ')
const visitsOfKind = 2

/** In which colours and at which width a page is shown. */
type Look = readonly [colours: 'light' | 'dark', width: 380 | 1280]

async function show(page: Page, [value, width]: Look): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
  await page.setViewport({ width, height: 900 })
}

/** What stands around the pages of a level, which is checked with one of them. */
const frame = ['.top', '.side']

/** What an automatic check of accessibility finds on the page as it is shown, or on the page without its frame. */
async function findingsOf(page: Page, isWhole: boolean): Promise<string[]> {
  const options = { preload: false, resultTypes: ['violations'], elementRef: true }
  // What people write begins with a heading of any rank.
  const context = isWhole ? 'document' : JSON.stringify({ exclude: frame })
  const found = await page.evaluate(`axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes
      .filter(({ element }) => id !== 'heading-order' || !element.closest('.prose'))
      .map(({ html }) => id + ': ' + html.slice(0, 120))))`)
  return found as string[]
}

/**
 * What is wrong with the page in these looks. Accessibility is checked in the first one: the next page begins with the other, and what
 * pages are made of stands on many.
 */
async function wrongIn(page: Page, looks: readonly Look[], check: 'whole' | 'inside' | null): Promise<string[]> {
  const wrong: string[] = []
  for (const [index, look] of looks.entries()) {
    await show(page, look)
    const found = check && index === 0 ? await findingsOf(page, check === 'whole') : []
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (width > look[1]) found.push(`${width} pixels wide`)
    wrong.push(...found.map((one) => `${page.url()}, ${look.join(' ')}: ${one}`))
  }
  return wrong
}

type Visited = { status: number; isPage: boolean; links: readonly string[] }

/**
 * Reads an address as the person of the tab, without showing it. Its links are those to pages and pictures, without those to objects that
 * a text names: its reader may not read them.
 */
async function read(page: Page, address: string): Promise<Visited> {
  return (await page.evaluate(`fetch(${JSON.stringify(address)}, { headers: { Accept: 'text/html' } }).then(async (answer) => {
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false
    const text = await answer.text()
    const shown = new DOMParser().parseFromString(isPage ? text : '', 'text/html')
    // Links of drawings have no text as \`href\`.
    const links = [...shown.querySelectorAll('a[href]:not(.prose a)')].map((link) => link.getAttribute('href'))
    const pictures = [...shown.querySelectorAll('main img')].map((picture) => picture.getAttribute('src'))
    const addresses = [...links, ...pictures].map((one) => new URL(one, answer.url).href.split('#', 1)[0])
    return { status: answer.status, isPage, links: addresses }
  })`)) as Visited
}

/** The kinds of pages that were shown in a browser, and the pages and frames that were checked for accessibility, by an earlier role too. */
const [shown, checked] = [new Set<string>(), new Set<string>()]

/** How a page is checked: each once, and the frame of a level with its first page. */
function checkOf(who: string, address: string): 'whole' | 'inside' | null {
  const [page, level] = [`${who}: ${routeOf(address)}`, `${who}: ${addressOf(new URL(address).pathname).at}`]
  if (checked.has(page)) return null
  const isWhole = !checked.has(level)
  checked.add(page).add(level)
  return isWhole ? 'whole' : 'inside'
}

/** Whether an address is one of the API or of its reference, which are no pages of the console. */
const isOfApi = (address: string) => /\/(api|docs)\//.test(address) && !address.endsWith('/docs/policy')

/**
 * Follows the links from the dashboard, and returns what is wrong with the pages. Those of a new kind are shown in these looks, each page
 * first as the one before it was shown last.
 */
async function crawl(tab: Page, reader: Page, looks: readonly Look[], who: 'person' | 'visitor') {
  const start = `${server.url}/`
  const seen = new Set([start])
  const queue = [start]
  const counts = new Map<string, number>()
  const wrong: string[] = []
  let inOrder = looks
  for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
    const kind = kindOf(address)
    const count = counts.get(kind) ?? 0
    if (count >= visitsOfKind) continue
    counts.set(kind, count + 1)
    const isNew = !shown.has(`${who}: ${kind}`)
    shown.add(`${who}: ${kind}`)
    const { status, isPage, links } = await read(reader, address)
    if (status >= 400) wrong.push(`${address}: ${status}`)
    if (status >= 400 || !isPage) continue
    if (isNew) {
      await tab.goto(address)
      wrong.push(...(await wrongIn(tab, inOrder, checkOf(who, address))))
      inOrder = inOrder.toReversed()
    }
    for (const next of links) {
      if (seen.has(next) || !next.startsWith(`${server.url}/`) || isOfApi(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
  return { visited: [...counts.values()].reduce((sum, count) => sum + count, 0), wrong }
}

const inLight: readonly Look[] = [
  ['light', 1280],
  ['dark', 380],
]
const inDark: readonly Look[] = [
  ['dark', 1280],
  ['light', 380],
]

test.each([
  ['root', inLight],
  ['owner', inDark],
  ['developer', inDark],
  ['guest', inDark],
  [null, inDark],
] as const)('links lead to pages for %s', async (username, looks) => {
  const { page, complaints, close } = await openTab(browser)
  // Sent once: it is half a megabyte.
  await page.evaluateOnNewDocument(axe)
  page.on('dialog', (dialog) => {
    complaints.push(`${page.url()}: a dialog says ${dialog.message()}`)
    void dialog.dismiss()
  })
  if (username) await signIn(page, server.url, username)
  const reader = await page.browserContext().newPage()
  await reader.goto(`${server.url}/explore`)
  const { visited, wrong } = await crawl(page, reader, looks, username ? 'person' : 'visitor')
  expect(wrong).toEqual([])
  expect(complaints).toEqual([])
  expect(visited).toBeGreaterThan(50)
  await close()
})

/** Pages to which no link leads, and how people get there. */
const unlinked: Readonly<Record<string, string>> = {
  'group.completion': 'read by the script while people write',
  'project.completion': 'read by the script while people write',
  'group.enterprise_users/:one': 'needs a domain whose records the server can look up',
  'group.enterprise_users/:one/delete': 'needs a domain whose records the server can look up',
  'instance.admin/geo/sites/:id/edit': 'the address that the API gives for changes',
  'project.import': 'the form that imports a project leads to it',
  'group.import': 'the form that imports a group leads to it',
  'instance.oauth/authorize': 'applications lead to it',
  'instance.oauth/device': 'devices show its address',
  'instance.search': 'the form at the top of each page leads to it',
  'project.search': 'the form at the top of its pages leads to it',
  'group.search': 'the form at the top of its pages leads to it',
  'instance.users/password/edit': 'mails have its address',
}

test('every page was reached by a link', async () => {
  const metrics = await (await fetch(`${server.url}/-/metrics`)).text()
  const answered = [...metrics.matchAll(/operation="pages\.([^"]*)",method="GET",status="(?:200|302)"/g)]
  const reached = new Set(answered.map(([, name]) => name))
  const names = new Set(pages.map(({ at, path }) => `${at}.${path || 'home'}`))
  expect([...names].filter((name) => !reached.has(name)).sort()).toEqual(Object.keys(unlinked).sort())
})
