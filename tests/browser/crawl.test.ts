/** Every link of every page leads to a page, as an owner, a guest, an administrator and a stranger, in a real browser. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, openTab, type PageServer, signIn, startPageServer } from './browser.ts'
import { fill } from './filled.ts'

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

/** An address without what differs between pages of one kind, so that each kind is visited a few times only. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address)
  const [home = '', rest] = pathname.split('/-/')
  const [name, ...more] = rest?.split('/') ?? [home.replace(/\d+/g, '1')]
  return [name, Math.min(more.length, 2), ...searchParams.keys()].join(' ')
}

const visitsOfKind = 2

/** In which colours and at which width a page is shown. */
type Look = readonly [colours: 'light' | 'dark', width: 380 | 1280]

async function show(page: Page, [value, width]: Look): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
  await page.setViewport({ width, height: 900 })
}

/** Rules whose findings depend on the colours or the width. All others find the same in every look. */
const rulesOfLooks = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block']

/** What an automatic check of accessibility finds on the page as it is shown. */
async function findingsOf(page: Page, isFirstLook: boolean): Promise<string[]> {
  if (isFirstLook) await page.evaluate(axe)
  const rules = isFirstLook ? {} : { runOnly: rulesOfLooks }
  const options = { preload: false, resultTypes: ['violations'], elementRef: true, ...rules }
  // What people write begins with a heading of any rank.
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes
      .filter(({ element }) => id !== 'heading-order' || !element.closest('.prose'))
      .map(({ html }) => id + ': ' + html.slice(0, 120))))`)
  return found as string[]
}

/** What is wrong with the page in these looks. */
async function wrongIn(page: Page, looks: readonly Look[], isChecked: boolean): Promise<string[]> {
  const wrong: string[] = []
  for (const [index, look] of looks.entries()) {
    await show(page, look)
    const found = isChecked ? await findingsOf(page, index === 0) : []
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (width > look[1]) found.push(`${width} pixels wide`)
    wrong.push(...found.map((one) => `${page.url()}, ${look.join(' ')}: ${one}`))
  }
  return wrong
}

/** The addresses to which the page leads, without those of files, and of objects that a text names: its reader may not read them. */
async function linksOf(page: Page): Promise<string[]> {
  // Links of drawings have no text as `href`.
  const address = 'new URL(link.getAttribute("href"), link.baseURI).href.split("#", 1)[0]'
  const links = `[...document.querySelectorAll("a[href]:not([download], .prose a)")].map((link) => ${address})`
  const found = (await page.evaluate(links)) as string[]
  return found.filter((next) => next.startsWith(server.url) && !/\/(api|docs|-\/archive|-\/raw)\//.test(next))
}

/** Follows the links from the dashboard, and returns what is wrong with the pages. The first of each kind is checked in these looks. */
async function crawl(
  page: Page,
  start: string,
  looks: readonly Look[],
): Promise<{ visited: string[]; wrong: string[] }> {
  const seen = new Set([start])
  const queue = [start]
  const counts = new Map<string, number>()
  const visited: string[] = []
  const wrong: string[] = []
  for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
    const kind = kindOf(address)
    const count = counts.get(kind) ?? 0
    if (count >= visitsOfKind) continue
    counts.set(kind, count + 1)
    const answer = await page.goto(address)
    visited.push(new URL(address).pathname)
    if (!answer || answer.status() >= 400) {
      wrong.push(`${address}: ${answer?.status()}`)
      continue
    }
    if (!answer.headers()['content-type']?.startsWith('text/html')) continue
    wrong.push(...(await wrongIn(page, looks, count === 0)))
    for (const next of await linksOf(page)) {
      if (seen.has(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
  return { visited, wrong }
}

const wide: Look = ['light', 1280]
const narrow: Look = ['dark', 380]

test.each([
  ['root', [wide, narrow]],
  ['owner', [narrow]],
  ['guest', [['light', 380]]],
  [null, [['dark', 1280]]],
] as const)('links lead to pages for %s', async (username, looks) => {
  const { page, complaints, close } = await openTab(browser)
  page.on('dialog', (dialog) => {
    complaints.push(`${page.url()}: a dialog says ${dialog.message()}`)
    void dialog.dismiss()
  })
  if (username) await signIn(page, server.url, username)
  const { visited, wrong } = await crawl(page, `${server.url}/`, looks)
  expect(wrong).toEqual([])
  expect(complaints).toEqual([])
  expect(visited).toContain('/team/demo')
  await close()
})
