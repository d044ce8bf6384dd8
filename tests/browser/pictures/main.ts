/**
 * `npm run pictures` takes the pictures of `docs/pictures/`: pages, light and dark, of a small world that is made for them at fixed times.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import puppeteer, { type Page } from 'puppeteer-core'
import { clockFrom, startBundled } from './server.ts'
import { type Filled, fillWorld, password, today } from './world.ts'

const folder = join(import.meta.dirname, '../../../docs/pictures')
const project = '/harbour/tidewatch'

type Shot = {
  name: string
  path: string
  /** Who sees it; Ada unless told. */
  as?: 'root' | 'nils'
  width?: number
  open?: string
}

const shotsOf = ({ job, pipeline }: Filled): readonly Shot[] => [
  { name: 'dashboard', path: '/' },
  { name: 'project', path: project },
  { name: 'file', path: `${project}/-/blob/surge/src/tides.ts` },
  { name: 'commits', path: `${project}/-/commits/main` },
  { name: 'compare', path: `${project}/-/compare/main...surge` },
  { name: 'issues', path: `${project}/-/issues` },
  { name: 'pipelines', path: `${project}/-/pipelines` },
  { name: 'variables', path: `${project}/-/variables` },
  { name: 'palette', path: project, open: 'm' },
  { name: 'merge-request', path: `${project}/-/merge_requests/1` },
  { name: 'review', path: `${project}/-/merge_requests/1/diffs#file-2` },
  { name: 'pipeline', path: `${project}/-/pipelines/${pipeline}?view=needs` },
  { name: 'log', path: `${project}/-/jobs/${job}` },
  { name: 'registry', path: `${project}/-/container_registry/1` },
  { name: 'alert', path: `${project}/-/alert_management/1/details` },
  { name: 'administration', path: '/admin', as: 'root' },
  { name: 'guest', path: '/harbour/mooring-plans/-/issues', as: 'nils' },
  { name: 'narrow', path: `${project}/-/issues`, width: 380 },
]
const height = 800
const quality = 82
const mostBytes = 80 * 1024

async function signIn(page: Page, url: string, username: string): Promise<void> {
  await page.goto(`${url}/users/sign_in`)
  await page.type('#username', username)
  await page.type('#password', password)
  await Promise.all([page.waitForNavigation(), page.click('main button.primary')])
}

async function take(
  page: Page,
  url: string,
  { name, path, width = 1280, open }: Shot,
  colours: string,
): Promise<number> {
  await page.setViewport({ width, height })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }])
  await page.goto(url + path)
  if (open) {
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.type('dialog input', open)
    await page.waitForNetworkIdle()
  }
  const bytes = await page.screenshot({ type: 'webp', quality })
  const file = `${name}-${colours}.webp`
  if (bytes.length > mostBytes) throw new Error(`${file} has ${bytes.length} bytes, more than ${mostBytes}`)
  await writeFile(join(folder, file), bytes)
  return bytes.length
}

const clock = clockFrom(today)
// The pictures show addresses: they always have this port.
await using server = await startBundled({ rootPassword: password, clock, port: 8092 })
const filled = await fillWorld({ url: server.url, rootToken: server.rootToken, moveTo: clock.moveTo })
const args = chromium.args.filter((one) => one !== '--single-process' && one !== '--no-zygote')
const browser = await puppeteer.launch({ args, executablePath: await chromium.executablePath(), headless: 'shell' })

/** A tab in which a person is signed in. */
async function tabOf(username: string): Promise<Page> {
  const page = await (await browser.createBrowserContext()).newPage()
  // Times are shown as they were then.
  await page.evaluateOnNewDocument(`{ const then = Date.parse('${today}'); Date.now = () => then }`)
  await signIn(page, server.url, username)
  return page
}

try {
  await mkdir(folder, { recursive: true })
  const tabs = { ada: await tabOf('ada'), root: await tabOf('root'), nils: await tabOf('nils') }
  const shots = shotsOf(filled)
  let sum = 0
  for (const shot of shots)
    for (const colours of ['light', 'dark']) sum += await take(tabs[shot.as ?? 'ada'], server.url, shot, colours)
  console.info(`${shots.length * 2} pictures, ${Math.round(sum / 1024)} KiB, in ${folder}`)
} finally {
  await browser.close()
}
