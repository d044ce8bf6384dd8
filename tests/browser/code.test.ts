/** The keys and buttons of the pages about code, and what they are without JavaScript. */
import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, openTab, type PageServer, press, startPageServer } from './browser.ts'
import { fill } from './filled/filled.ts'

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

const base = '/team/demo/-'

test('t finds a file by its letters, and y leads to its version', async () => {
  const { page, complaints, close } = await openTab(browser)
  const path = () => new URL(page.url()).pathname
  await page.goto(`${server.url}${base}/tree/main`)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('t')])
  expect(path()).toBe(`${base}/find_file/main`)
  await page.type('.finder input', 's')
  await page.waitForFunction('location.search === "?search=s"')
  const shown = () => page.$$eval('.found a', (links) => links.map(({ textContent }) => textContent))
  const listed = await shown()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  expect(await page.$eval('.found .chosen a', ({ textContent }) => textContent)).toBe(listed.at(-1))
  await page.type('.finder input', 'main')
  await page.waitForFunction('location.search === "?search=smain"')
  expect(await shown()).toEqual(['src/main.ts'])
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  expect(path()).toBe(`${base}/blob/main/src/main.ts`)
  await page.click('#L1 .no')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('y')])
  expect(page.url()).toMatch(/\/blob\/[\da-f]{40}\/src\/main\.ts#L1$/)
  expect(complaints).toEqual([])
  await close()
})

test('buttons copy, also where the page has no clipboard', async () => {
  const { page, close } = await openTab(browser)
  for (const isSecure of [true, false]) {
    await page.goto(`${server.url}${base}/blob/main/src/main.ts`)
    await page.evaluate(`
      window.copied = []
      Object.defineProperty(navigator, 'clipboard', {
        value: ${isSecure} ? { writeText: async (text) => void copied.push(text) } : undefined,
      })
      document.addEventListener('copy', () => copied.push(String(document.activeElement.value)))
    `)
    await page.click('[data-copy]')
    await page.waitForSelector('.copied')
    expect(await page.evaluate('copied')).toEqual(['src/main.ts'])
  }
  await close()
})

test('files are found without JavaScript', async () => {
  const { page, close } = await openTab(browser, { isScripted: false })
  await page.goto(`${server.url}${base}/find_file/main`)
  await page.type('.finder input', 'main.ts')
  await press(page, '.finder button')
  await press(page, '.found a')
  expect(new URL(page.url()).pathname).toBe(`${base}/blob/main/src/main.ts`)
  expect(await page.$('[data-copy]').then((button) => button?.isVisible())).toBe(false)
  await close()
})
