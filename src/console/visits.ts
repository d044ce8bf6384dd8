import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Actor,
  type AnswerOf,
  ApiError,
  type BodyLimits,
  type Caller,
  type CallOf,
  dayOf,
  type Operation,
  type Performer,
  parseNestedParameters,
  type RangeHeader,
  type ThrottleState,
} from '../api/index.ts'
import type { Platform } from '../platform/index.ts'
import type { Cookies } from './http/cookies.ts'
import { groupsGet, projectsGet, type UserObject, userGet } from './operations.ts'
import type { Level, Page, Visit } from './page.ts'
import { PageTexts } from './parts/writing/texts.ts'
import { addressOf } from './routes.ts'

/** What all requests for pages share. */
export type Console = {
  platform: Platform
  pages: readonly Page[]
  performer: Performer
  cookies: Cookies
  bodyLimits: BodyLimits
  /** Counts the request as a request for the API; undefined when no throttle is on. */
  throttle(actor: Actor, ip: string): Promise<ThrottleState | undefined>
}

/** The caller of a request for a page. */
export function callerOf(request: FastifyRequest, reply: FastifyReply, actor: Actor): Caller {
  const abort = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || abort.abort())
  const { id, ip } = request
  return { actor, found: new Map(), request: { id, ip, signal: abort.signal } }
}

/** The fields of a query or a form by their names; lists and objects are left out. */
export function textsOf(parameters: object): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => typeof value === 'string'))
}

/** The texts of an address by their names; those of an object are named as they were written: `not[labels]`. */
function queryOf(parameters: object): Record<string, string> {
  const inner = Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(textsOf(value)).map(([member, text]) => [`${name}[${member}]`, text])
      : [],
  )
  return { ...textsOf(parameters), ...Object.fromEntries(inner) }
}

/**
 * A visit that has no project, group or page yet.
 * @param asking whose rights decide what a page offers
 */
export function visitOf(
  { performer, platform }: Console,
  request: FastifyRequest,
  caller: Caller,
  asking: Caller = caller,
): Visit {
  const mark = request.url.indexOf('?')
  const query = queryOf(parseNestedParameters(mark < 0 ? '' : request.url.slice(mark + 1)))
  async function read<O extends Operation>(operation: O, call: CallOf<O>, headers?: RangeHeader): Promise<AnswerOf<O>> {
    return (await performer.perform(operation, caller, call, headers)).value
  }
  const visit: Omit<Visit, 'project' | 'group'> = {
    actor: caller.actor,
    me: null,
    isLook: false,
    due: null,
    now: platform.clock.now(),
    today: dayOf(platform.clock.now()),
    path: request.url,
    params: {},
    query,
    number: /^[1-9]\d{0,8}$/.test(query.page ?? '') ? Number(query.page) : 1,
    refused: null,
    answered: null,
    texts: new PageTexts(),
    read,
    async find(operation, call) {
      try {
        return await read(operation, call)
      } catch (error) {
        if (error instanceof ApiError && [401, 403, 404].includes(error.status)) return null
        throw error
      }
    },
    may: (operation, call) => performer.may(operation, asking, call),
    mayEach: (operation, calls) => performer.mayEach(operation, asking, calls),
  }
  // The project and the group are there on their pages, and no other page asks for them.
  return visit as Visit
}

/** What an address leads to: the visit with its project or group, and the rest of the address. */
export type Destination = { visit: Visit; at: Level; rest: string }

/**
 * Reads the caller, and the project or group of an address.
 * @throws ApiError 404, and 301 with the new address of a project or group
 */
export async function arrive(visit: Visit, path: string): Promise<Destination> {
  const me = visit.actor.kind === 'user' ? ((await visit.read(userGet, {})) as UserObject) : null
  const known = { ...visit, me }
  const { at, name, rest } = addressOf(path)
  if (at === 'project') return { visit: { ...known, project: await visit.read(projectsGet, { id: name }) }, at, rest }
  if (at === 'group') return { visit: { ...known, group: await groupOf(visit, name) }, at, rest }
  if (at === 'instance') return { visit: known, at, rest }
  return arriveHome(known, name)
}

const groupOf = (visit: Visit, name: string) => visit.read(groupsGet, { id: name, with_projects: false })

/** A project, a group or a user: what the address names. */
async function arriveHome(visit: Visit, name: string): Promise<Destination> {
  const project = name.includes('/') ? await visit.find(projectsGet, { id: name }) : null
  if (project) return { visit: { ...visit, project }, at: 'project', rest: '' }
  const group = await visit.find(groupsGet, { id: name, with_projects: false })
  if (group) return { visit: { ...visit, group }, at: 'group', rest: '' }
  return { visit, at: 'instance', rest: `users/${name}` }
}
