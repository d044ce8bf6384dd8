/**
 * `npm run pictures` takes the pictures of `docs/pictures/`: pages, light and dark, of the
 * world of `fennec demo` at a fixed time.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import puppeteer, { type Page } from 'puppeteer-core'
import { demoPassword } from '../../../src/demo/index.ts'
import { clientOf } from '../../../src/testing/client.ts'
import { clockFrom, startBundled } from './server.ts'

/** When the pictures are taken. */
const today = '2026-03-12T14:30:00Z'
const folder = join(import.meta.dirname, '../../../docs/pictures')
const project = '/slipway/apps/timetable'
const services = '/slipway/services'

type Shot = {
  name: string
  path: string
  /** Who sees it; Tomas unless told. */
  as?: 'root' | 'lena'
  width?: number
  open?: string
}

/** What the addresses of pictures name: the pipeline that runs, and its job. */
type Running = { pipeline: number; job: number }

/** Takes the announcement away that every page of a demo has above it, and looks for what runs. */
async function prepare(url: string, rootToken: string): Promise<Running> {
  const root = clientOf(url, rootToken)
  await root.delete('/broadcast_messages/1')
  const { body } = await root.get('/projects/slipway%2Fapps%2Ftimetable/jobs?scope[]=running')
  return { pipeline: body[0].pipeline.id, job: body[0].id }
}

const shotsOf = ({ job, pipeline }: Running): readonly Shot[] => [
  { name: 'dashboard', path: '/' },
  { name: 'project', path: project },
  { name: 'file', path: `${project}/-/blob/delays/src/page.ts` },
  { name: 'commits', path: `${project}/-/commits/main` },
  { name: 'compare', path: `${project}/-/compare/main...delays` },
  { name: 'issues', path: `${project}/-/issues` },
  { name: 'issue', path: `${project}/-/issues/5` },
  { name: 'epics', path: '/groups/slipway/-/epics' },
  { name: 'pipelines', path: `${project}/-/pipelines` },
  { name: 'variables', path: `${project}/-/variables` },
  { name: 'palette', path: project, open: 'd' },
  { name: 'merge-request', path: `${project}/-/merge_requests/5` },
  { name: 'review', path: '/slipway/apps/dispatch/-/merge_requests/1/diffs' },
  { name: 'pipeline', path: `${project}/-/pipelines/${pipeline}?view=needs` },
  { name: 'log', path: `${project}/-/jobs/${job}` },
  { name: 'registry', path: `${services}/sailings/-/container_registry/1` },
  { name: 'alert', path: `${services}/sailings/-/alert_management/2/details` },
  { name: 'administration', path: '/admin', as: 'root' },
  { name: 'guest', path: '/slipway/operations/harbour/-/issues', as: 'lena' },
  { name: 'narrow', path: '/slipway/apps/dispatch/-/issues', width: 380 },
]
const height = 800
const quality = 82
const mostBytes = 80 * 1024
const rootPassword = 'korrekt-horse-9'

async function signIn(page: Page, url: string, username: string): Promise<void> {
  await page.goto(`${url}/users/sign_in`)
  await page.type('#username', username)
  await page.type('#password', username === 'root' ? rootPassword : demoPassword)
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
await using server = await startBundled({ demo: true, rootPassword, clock, port: 8092 })
// To fill it takes a while.
clock.moveTo(today)
const running = await prepare(server.url, server.rootToken)
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
  const tabs = { tomas: await tabOf('tomas'), root: await tabOf('root'), lena: await tabOf('lena') }
  const shots = shotsOf(running)
  let sum = 0
  for (const shot of shots)
    for (const colours of ['light', 'dark']) sum += await take(tabs[shot.as ?? 'tomas'], server.url, shot, colours)
  console.info(`${shots.length * 2} pictures, ${Math.round(sum / 1024)} KiB, in ${folder}`)
} finally {
  await browser.close()
}
