import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  anonymous,
  createPerformer,
  header,
  isExceeded,
  methodNotAllowed,
  notFound,
  type Operation,
  type Service,
  throttled,
} from '../api/index.ts'
import { maintenanceSentence } from '../platform/index.ts'
import { performForm } from './forms/perform-form.ts'
import { problemOf } from './forms/values.ts'
import { signInAddress, twoFactorPath } from './frame/addresses.ts'
import { bannersOf } from './frame/banners.ts'
import { frame } from './frame/frame.tsx'
import { sendAsset } from './http/assets.ts'
import { createCookies } from './http/cookies.ts'
import { localPath } from './http/origin.ts'
import { redirect, sendBytes, sendPage } from './http/send.ts'
import { groupsGet, projectsGet, renderTexts } from './operations.ts'
import type { Level, Page, View, Visit } from './page.ts'
import { findPage } from './routes.ts'
import { receiveLook, requireOnlyReading, requireOtherThanAccount, visitorOf } from './sign-in/look.ts'
import { receiveOpenForm } from './sign-in/open-forms.ts'
import { needsSecondFactor, requireSecondFactor } from './sign-in/second-factor.ts'
import { fieldsOfOwnForm } from './sign-in/sign-in.ts'
import { arrive, type Console, callerOf, type Destination, visitOf } from './visits.ts'

type ConsoleOptions = Pick<Console, 'platform' | 'pages' | 'bodyLimits' | 'throttle'> & {
  operations: readonly Operation[]
}

/** Addresses of programs: what their services have not answered is no page. People authorise applications at two of them. */
const ofPrograms =
  /^\/(api|v2|jwt|oauth(?!\/(authorize|device)\/?$)|docs(?!\/policy$)|\.well-known)(\/|$)|^(?!.*\/-\/).*\.git(\/|$)/

/** Creates the console: the pages of the server, in the same process and by the same operations as the API (design 14). */
export function createConsole({ operations, ...options }: ConsoleOptions): Service {
  const { platform } = options
  const console: Console = {
    ...options,
    performer: createPerformer({ platform, operations }),
    cookies: createCookies(platform.externalUrl),
  }
  return {
    async handle(request, reply) {
      const [path = '/'] = request.url.split('?', 1)
      if (ofPrograms.test(path)) return false
      if (path.startsWith('/-/assets/')) sendAsset(request, reply, path)
      else if (request.method === 'POST') await receive(console, request, reply, path)
      else if (request.method === 'GET' || request.method === 'HEAD') await answer(console, request, reply)
      else throw methodNotAllowed(['GET', 'HEAD', 'POST'])
      return true
    },
  }
}

/** Forms that no operation performs, and those of pages. */
async function receive(console: Console, request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
  const shown = await receiveOpenForm(console, request, reply, path)
  if (shown === null) return
  if (shown) {
    const visit = { ...visitOf(console, request, callerOf(request, reply, anonymous)), refused: shown.refused }
    return showPage(console, request, reply, { visit, at: 'instance', rest: path.slice(1) }, shown.status)
  }
  if (path === '/-/preferences') return prefer(console, request, reply)
  if (await receiveLook(console, request, reply, path)) return
  return answer(console, request, reply)
}

const yearSeconds = 365 * 24 * 60 * 60

/** Remembers in the browser which colours are shown, and which messages are not any more. */
async function prefer(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { theme, dismissed, return_to: address } = await fieldsOfOwnForm(console, request)
  if (theme === 'dark' || theme === 'light') console.cookies.write(reply, 'theme', theme, yearSeconds)
  if (dismissed !== undefined && /^\d{1,10}$/.test(dismissed)) {
    const ids = [...dismissedIn(console, request), Number(dismissed)].slice(-50)
    console.cookies.write(reply, 'dismissed', ids.join('.'), yearSeconds)
  }
  redirect(reply, localPath(address))
}

function dismissedIn({ cookies }: Console, request: FastifyRequest): Set<number> {
  return new Set((cookies.read(request, 'dismissed') ?? '').split('.').filter(Boolean).map(Number))
}

async function answer(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const visitor = await visitorOf(console, request)
  const { actor, shown, signedIn, isLook, due } = visitor
  if (signedIn) request.userId = signedIn.userId
  const caller = callerOf(request, reply, actor)
  const visit = visitOf(console, request, caller, { ...caller, actor: shown })
  const [path = '/'] = request.url.split('?', 1)
  const isRead = request.method !== 'POST'
  if (isRead && needsSecondFactor(console, visitor, path)) return redirect(reply, `/-/${twoFactorPath}`, 302)
  let to: Destination = { visit: { ...visit, isLook, due }, at: 'instance', rest: '' }
  try {
    const state = await console.throttle(signedIn ?? actor, request.ip)
    if (state && isExceeded(state)) throw throttled(state, null)
    requireOnlyReading(visitor, request.method)
    requireSecondFactor(console, visitor, path)
    to = await arrive(to.visit, path)
    requireOtherThanAccount(visitor, to)
    if (isRead) return await showPage(console, request, reply, to)
    const found = pageAt(console, to)
    const sent = await performForm(console, request, caller, found.visit, found.page)
    if ('to' in sent) return redirect(reply, sent.to)
    await showPage(console, request, reply, { ...to, visit: sent.visit }, sent.status)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await showError(console, request, reply, to, error)
  }
}

/** @throws ApiError 404 */
function pageAt({ pages }: Console, { visit, at, rest }: Destination): { page: Page; visit: Visit } {
  const found = findPage(pages, at, rest)
  if (!found) throw notFound('Page')
  return { page: found.page, visit: { ...visit, params: found.params } }
}

async function showPage(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  to: Destination,
  status = 200,
): Promise<void> {
  const { page, visit } = pageAt(console, to)
  request.operationId = `pages.${page.at}.${page.path || 'home'}`
  const shown = await page.show(visit)
  if ('redirect' in shown) return redirect(reply, shown.redirect, 302)
  if ('file' in shown) return sendBytes(request, reply, shown.file)
  await sendView(console, request, reply, { visit, at: to.at, view: shown, under: page.under }, status)
}

async function sendView(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  { visit, at, view, under }: { visit: Visit; at: Level; view: View; under?: string | undefined },
  status: number,
): Promise<void> {
  const [banners, navigation, maintenance] = await Promise.all([
    bannersOf(visit, dismissedIn(console, request)),
    navigationOf(console, visit, at),
    maintenanceSentence(console.platform),
  ])
  const chosen = console.cookies.read(request, 'theme')
  const theme = chosen === 'dark' || chosen === 'light' ? chosen : undefined
  const place = { projectId: visit.project?.id ?? null, groupId: visit.group?.id ?? null }
  const shown = frame({ visit, at, view, under, banners, navigation, maintenance, theme })
  const page = await visit.texts.fill(shown, (texts) => renderTexts(console.platform, visit.actor, place, texts))
  await sendPage(request, reply, status, page, view.formsLeadTo)
}

/** The pages of the navigation: those whose operation the caller may perform. */
async function navigationOf({ pages }: Console, visit: Visit, at: Level): Promise<readonly Page[]> {
  const ids = { project: visit.project?.id, group: visit.group?.id, instance: undefined }
  const call = at === 'instance' ? {} : { id: ids[at] }
  const listed = pages.filter(({ at: level, nav }) => level === at && nav && (nav.isFor?.(visit) ?? true))
  const mays = await Promise.all(
    listed.map(async ({ nav }) => {
      const asked = [nav?.operation ?? []].flat()
      const isFound = (await Promise.all(asked.map((operation) => visit.may(operation, call)))).every(Boolean)
      return isFound || (nav?.or !== undefined && visit.may(nav.or, call))
    }),
  )
  return listed.filter((_, index) => mays[index])
}

const titles: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found' }

/** Whether a person waits for the answer: browsers ask for HTML where they show it. */
const isForPerson = (request: FastifyRequest) => (header(request, 'accept') ?? '').includes('text/html')

function Wrong({ text }: { text: string }) {
  return (
    <div>
      <p class="lead">{text}</p>
      <p>
        <a href="/">To the projects</a> · <a href="/search">Search</a>
      </p>
    </div>
  )
}

/**
 * Shows an error as a page. Callers who are not signed in are asked to, where that may help.
 * @throws ApiError to programs, which get it as JSON
 */
async function showError(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  { visit, at }: Destination,
  error: ApiError,
): Promise<void> {
  if (error.status === 301) return redirectToNewAddress(console, request, reply, visit, error)
  if (!isForPerson(request)) throw error
  const isHidden = error.status === 401 || error.status === 404
  if (visit.actor.kind === 'anonymous' && isHidden) {
    return redirect(reply, signInAddress(request.url), request.method === 'POST' ? 303 : 302)
  }
  reply.headers(error.headers)
  const text = error.status === 404 ? 'There is no such page, or you may not see it.' : problemOf(error).sentence
  const view = { title: titles[error.status] ?? 'That did not work', body: <Wrong text={text} /> }
  await sendView(console, request, reply, { visit, at, view }, error.status)
}

/** Leads from the former address of a project or group to the same page at the new one. @throws ApiError 404 */
async function redirectToNewAddress(
  { platform }: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { headers }: ApiError,
): Promise<void> {
  const [, kind, id] = /\/(projects|groups)\/(\d+)/.exec(headers.Location ?? '') ?? []
  if (!id) throw notFound('Page')
  const found =
    kind === 'groups'
      ? await visit.read(groupsGet, { id, with_projects: false })
      : await visit.read(projectsGet, { id })
  const { web_url: address = '' } = found
  const below = request.url.includes('/-/') ? request.url.slice(request.url.indexOf('/-/')) : ''
  redirect(reply, `${new URL(address, platform.externalUrl).pathname}${below}`, request.method === 'POST' ? 308 : 301)
}
