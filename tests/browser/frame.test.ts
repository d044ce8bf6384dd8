/** What stands around every page: keys, the palette, menus, and the side bar of narrow screens. */
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser, openTab, type PageServer, press, signIn, startPageServer } from './browser.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let server: PageServer
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startPageServer(), openBrowser()])
  await server.root.post('/projects', { name: 'Demo', initialize_with_readme: true })
  await server.root.post('/projects', { name: 'Elsewhere' })
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

const project = '/root/demo'
const pathOf = (page: Page) => new URL(page.url()).pathname
const isShown = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { checkVisibility(): boolean }).checkVisibility())
const focused = (page: Page) => page.evaluate('document.activeElement.name || document.activeElement.id')

describe('keys', () => {
  let tab: Awaited<ReturnType<typeof openTab>>
  beforeAll(async () => {
    tab = await openTab(browser)
    await signIn(tab.page, server.url, 'root')
  })
  afterAll(async () => {
    expect(tab.complaints).toEqual([])
    await tab.close()
  })
  /** Presses keys, and waits for the page that they lead to. */
  const follow = async (...keys: ('g' | 'i' | 'c' | 'y' | 'Enter')[]) => {
    const arrived = tab.page.waitForNavigation()
    for (const key of keys) await tab.page.keyboard.press(key)
    await arrived
    return pathOf(tab.page)
  }

  test('`g` and a letter lead to a page of the project', async () => {
    await tab.page.goto(server.url + project)
    expect(await follow('g', 'i')).toBe(`${project}/-/issues`)
    expect(await follow('g', 'c')).toMatch(`${project}/-/commits`)
  })

  test('`y` leads to the address of a file that stays', async () => {
    await tab.page.goto(`${server.url}${project}/-/blob/main/README.md`)
    expect(await follow('y')).toMatch(/\/-\/blob\/[\da-f]{40}\/README\.md$/)
  })

  test('`/` leads to the search, in which letters are letters', async () => {
    await tab.page.goto(server.url + project)
    await tab.page.keyboard.press('/')
    expect(await focused(tab.page)).toBe('search')
    await tab.page.keyboard.type('gi?')
    expect(await tab.page.$eval('.top [name=search]', (field) => (field as { value: string }).value)).toBe('gi?')
    expect(pathOf(tab.page)).toBe(project)
  })

  test('`?` shows the keys, and Escape closes them', async () => {
    await tab.page.goto(server.url + project)
    await tab.page.keyboard.type('?')
    const shown = await tab.page.$eval('dialog[open]', (dialog) => String(dialog.textContent))
    for (const label of ['Issues', 'Commits', 'Search']) expect(shown).toContain(label)
    await tab.page.keyboard.press('Escape')
    expect(await tab.page.$('dialog[open]')).toBeNull()
  })

  test('the palette leads to pages of the project, and to projects', async () => {
    await tab.page.goto(server.url + project)
    const open = async (text: string) => {
      await tab.page.keyboard.down('Control')
      await tab.page.keyboard.press('k')
      await tab.page.keyboard.up('Control')
      await tab.page.keyboard.type(text)
    }
    await open('branches')
    expect(await tab.page.$$eval('dialog[open] .chosen', (all) => all.map((one) => one.textContent))).toEqual([
      expect.stringMatching(/^Branches/),
    ])
    expect(await follow('Enter')).toBe(`${project}/-/branches`)
    await open('elsewh')
    await tab.page.waitForSelector('dialog[open] .chosen a[href$="/root/elsewhere"]')
    expect(await follow('Enter')).toBe('/root/elsewhere')
  })

  test('a menu is closed by Escape and by a click elsewhere', async () => {
    await tab.page.goto(server.url + project)
    for (const close of [() => tab.page.keyboard.press('Escape'), () => tab.page.click('main h1')]) {
      await tab.page.click('.mine summary')
      expect(await isShown(tab.page, '.mine .popup')).toBe(true)
      await close()
      expect(await tab.page.$('.mine [open]')).toBeNull()
    }
  })

  test('the current page is in view in the side bar', async () => {
    await tab.page.setViewport({ width: 1280, height: 500 })
    await tab.page.goto(`${server.url}${project}/-/variables`)
    const bottom = await tab.page.$eval('.side [aria-current]', (link) => link.getBoundingClientRect().bottom)
    expect(bottom).toBeLessThanOrEqual(500)
  })
})

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('on a narrow screen %s', (_how, isScripted) => {
  test('the side bar is shown instead of the page, and leads on', async () => {
    const { page, complaints, close } = await openTab(browser, { isScripted })
    await page.setViewport({ width: 380, height: 800 })
    await signIn(page, server.url, 'root')
    await page.goto(server.url + project)
    expect(await isShown(page, '.side')).toBe(false)
    await page.click('.to-menu')
    expect([await isShown(page, '.side'), await isShown(page, 'main')]).toEqual([true, false])
    await page.click('.from-menu')
    expect([await isShown(page, '.side'), await isShown(page, 'main')]).toEqual([false, true])
    await page.click('.to-menu')
    expect(await press(page, '.side a[href$="/-/branches"]')).toBe(200)
    expect(pathOf(page)).toBe(`${project}/-/branches`)
    expect(complaints).toEqual([])
    await close()
  })

  test('the first key leads to the content', async () => {
    const { page, close } = await openTab(browser, { isScripted })
    await page.goto(server.url)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('main')
    const colourOf = (name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${name}')).backgroundColor`)
    const [body, main] = [await colourOf('body'), await colourOf('main')]
    expect([body, 'rgba(0, 0, 0, 0)']).toContain(main)
    await close()
  })
})
