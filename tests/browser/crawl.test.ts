/** Every link of every page leads to a page, as an owner, a guest, an administrator and a stranger, in a real browser. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, openTab, type PageServer, signIn, startPageServer } from './browser.ts'
import { fill } from './filled.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

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

/** What an automatic check of accessibility finds on the page. */
async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { violations } = await (
      globalThis as never as { axe: { run(): Promise<{ violations: Finding[] }> } }
    ).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  })
  return found.map((one) => `${page.url()}: ${one}`)
}
type Finding = { id: string; nodes: { html: string }[] }

/** Follows the links from the dashboard, and returns what is wrong with the pages. */
async function crawl(page: Page, start: string): Promise<{ visited: string[]; wrong: string[] }> {
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
    if (count === 0) wrong.push(...(await findingsOf(page)))
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (width > 1280) wrong.push(`${address}: ${width} pixels wide`)
    const links = await page.$$eval('a[href]', (all) =>
      all.map((link) => [link.href, link.hasAttribute('download')] as const),
    )
    for (const [href, isDownload] of links) {
      const next = href.split('#', 1)[0] ?? ''
      const isOwn = next.startsWith(server.url) && !/\/(api|docs|-\/archive|-\/raw)\//.test(next)
      if (isOwn && !isDownload && !seen.has(next)) {
        seen.add(next)
        queue.push(next)
      }
    }
  }
  return { visited, wrong }
}

test.each(['root', 'owner', 'guest', null])('links lead to pages for %s', async (username) => {
  const { page, complaints, close } = await openTab(browser)
  page.on('dialog', (dialog) => {
    complaints.push(`${page.url()}: a dialog says ${dialog.message()}`)
    void dialog.dismiss()
  })
  if (username) await signIn(page, server.url, username)
  const { visited, wrong } = await crawl(page, `${server.url}/`)
  expect(wrong).toEqual([])
  expect(complaints).toEqual([])
  expect(visited).toContain('/team/demo')
  await close()
})
