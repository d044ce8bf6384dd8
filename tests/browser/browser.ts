import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { vi } from 'vitest'
import { clientOf, temporaryDirectory } from '../../src/testing/index.ts'
import { startVictim } from '../campaign/process.ts'

/**
 * The program of Chromium, which its package unpacks at first use into the folder for temporary files. Files of tests that run
 * at once wait for one of them to do it.
 */
async function programOfChromium(): Promise<string> {
  const folder = join(tmpdir(), `fennec-chromium-${process.ppid}`)
  const done = join(folder, 'done')
  const isFirst = (await mkdir(folder, { recursive: true })) !== undefined
  if (!isFirst) await vi.waitUntil(() => existsSync(done), { timeout: 100_000, interval: 100 })
  const program = await chromium.executablePath()
  if (isFirst) await writeFile(done, '')
  return program
}

/** Chromium from npm, which starts without packages of the system. */
export async function openBrowser(): Promise<Browser> {
  // A single process ends with the first of its contexts. What draws for a graphics card, in software, takes a third of the time.
  const args = chromium.args.filter(
    (one) => !/^--(single-process|no-zygote|in-process-gpu|use-gl|use-angle|enable-unsafe)/.test(one),
  )
  args.push('--disable-gpu')
  return puppeteer.launch({ args, executablePath: await programOfChromium(), headless: 'shell' })
}

export const password = 'korrekt-horse-9'
const token = 'glpat-token-of-root-of-pages'

/** A server with its style and script, as `npm start` runs it, whose root signs in with `password`. */
export async function startPageServer() {
  const folder = await temporaryDirectory()
  const storages = ['default', 'other'].map((name) => [name, join(folder.path, 'storages', name)] as const)
  for (const [, path] of storages) await mkdir(path, { recursive: true })
  const settings = {
    FENNEC_ROOT_PASSWORD: password,
    FENNEC_STORAGES: storages.map((one) => one.join('=')).join(),
  }
  const server = await startVictim({ data: folder.path, databaseUrl: undefined, token, settings })
  return {
    url: server.url,
    pid: server.pid,
    folder: folder.path,
    root: clientOf(server.url, token),
    as: (ofUser: string) => clientOf(server.url, ofUser),
    async stop() {
      await server.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export type PageServer = Awaited<ReturnType<typeof startPageServer>>

/** A tab with what it complained of: messages of its console, and errors of scripts. */
export async function openTab(browser: Browser, { isScripted = true } = {}) {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.setJavaScriptEnabled(isScripted)
  // A loaded machine draws pages slowly.
  page.setDefaultTimeout(60_000)
  await page.setViewport({ width: 1280, height: 900 })
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warn'
    // A page that refuses a form answers 4xx, which Chromium reports too.
    if (isComplaint && !/Failed to load resource/.test(message.text()))
      complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${String(error)}`))
  return { page, complaints, close: () => context.close() }
}

/** Signs in by the form. */
export async function signIn(page: Page, url: string, username: string, given = password): Promise<void> {
  await page.goto(`${url}/users/sign_in`)
  await page.type('#username', username)
  await page.type('#password', given)
  await press(page, 'button.primary')
}

/** Presses a button of a form, and waits for the page that comes. @returns the status of that page */
export async function press(page: Page, selector: string): Promise<number | undefined> {
  const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.click(selector)])
  return answer?.status()
}

/** The text of the page. */
export const textOf = (page: Page) => page.$eval('main', (main) => (main as { innerText: string }).innerText)
