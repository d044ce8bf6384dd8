import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { openBrowser, openTab, type PageServer, password, press, signIn, startPageServer } from '../browser.ts'

type Tab = Awaited<ReturnType<typeof openTab>>

/** The button that sends the form of a page. */
export const submit = 'main form[method=post] button.primary'

/** Writes into a field of the form of a page what a person would choose there. */
async function write(page: Page, name: string, value: string): Promise<void> {
  const selector = `main form[method=post] [name="${name}"]:not([type=hidden])`
  const tag = await page.$eval(selector, (field) => `${field.tagName} ${field.getAttribute('type')}`)
  if (tag.startsWith('SELECT')) await page.select(selector, value)
  else if (tag.endsWith('checkbox')) {
    const isChecked = await page.$eval(selector, (box) => (box as unknown as { checked: boolean }).checked)
    if (String(isChecked) !== value) await page.click(selector)
  } else {
    await page.$eval(selector, (field) => (field as unknown as { select(): void }).select())
    await page.keyboard.press('Backspace')
    await page.type(selector, value)
  }
}

/** The button of a part of the page that has these words, without those for people who only hear it. */
async function buttonOf(page: Page, words: string, within: string) {
  const buttons = await page.$$(`${within} button`)
  const labels = await Promise.all(buttons.map((one) => one.evaluate(({ textContent }) => textContent?.trim() ?? '')))
  const button = buttons[labels.findIndex((label: string) => label.startsWith(words))]
  if (!button) throw new Error(`${page.url()} has no button ${words} among ${labels.join(', ')}`)
  return button
}

/** What the tests of a theme share: a server, and root in a browser with or without JavaScript. */
class Flow {
  server!: PageServer
  /** The tab of root. */
  page!: Page
  readonly isScripted: boolean
  readonly name: string
  /** The address of the project of the flow. */
  readonly at: string
  readonly openTab: () => Promise<Tab>

  constructor(isScripted: boolean, browser: () => Browser) {
    this.isScripted = isScripted
    this.name = isScripted ? 'scripted' : 'plain'
    this.at = `/root/${this.name}`
    this.openTab = () => openTab(browser(), { isScripted })
  }

  /** The path of the API for what is below the project. */
  readonly api = (path: string) => `/projects/root%2F${this.name}${path}`

  /** What the API answers about the project. */
  readonly stored = async (path: string) => (await this.server.root.get(this.api(path))).body

  /** Creates something by the API, as root. */
  async make(path: string, given: object = {}) {
    const { status, body } = await this.server.root.post(path, given)
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** Creates a person who signs in with `password`. @param prefix of the user name */
  makePerson(prefix: string): Promise<{ id: number; username: string }> {
    const username = `${prefix}-${this.name}`
    const email = `${username}@example.com`
    return this.make('/users', { username, name: this.name, email, password, skip_confirmation: true })
  }

  makeProject(given: object = {}) {
    return this.make('/projects', { name: this.name, initialize_with_readme: true, visibility: 'public', ...given })
  }

  goto(path: string, page = this.page) {
    return page.goto(this.server.url + path)
  }

  /** Fills the fields of the form of a page by their names, and sends it. @returns the path that it leads to */
  async send(path: string, fields: Record<string, string>, page = this.page): Promise<string> {
    await this.goto(path, page)
    for (const [name, value] of Object.entries(fields)) await write(page, name, value)
    await press(page, submit)
    return new URL(page.url()).pathname
  }

  /** Presses the button with these words, and waits for the page that comes. */
  async pressNamed(words: string, within = 'main'): Promise<void> {
    const button = await buttonOf(this.page, words, within)
    await Promise.all([this.page.waitForNavigation({ waitUntil: 'load' }), button.click()])
  }
}

/** Declares the tests of a theme twice: in a browser with JavaScript, and in one without. */
export function declareFlows(declare: (flow: Flow) => void): void {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
  let server: PageServer
  let browser: Browser
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startPageServer(), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })
  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('%s', (_how, isScripted) => {
    const flow = new Flow(isScripted, () => browser)
    let tab: Tab
    beforeAll(async () => {
      flow.server = server
      tab = await flow.openTab()
      flow.page = tab.page
      await signIn(tab.page, server.url, 'root')
    })
    afterAll(async () => {
      expect(tab.complaints).toEqual([])
      await tab.close()
    })
    declare(flow)
  })
}
